/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's words, as far as the files of the module use them that run at events
 *
 * They do what the kernel's do on one machine: locks are taken by one atomic exchange, chains are read
 * without a lock, each processor has its own copy of what DEFINE_PER_CPU() defines, found by an offset
 * that the thread knows. What they leave out: interrupts are never turned off, nobody waits for a grace
 * period, static branches are ordinary ones, the clock is a number that the benchmark sets.
 */
#ifndef BENCH_KERNEL_H
#define BENCH_KERNEL_H

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "port.h"

typedef uint16_t __be16;
typedef uint32_t __be32;
typedef struct { int counter; } atomic_t;
typedef struct { s64 counter; } atomic64_t;
typedef unsigned int gfp_t;

#define __user
#define __percpu
#define __rcu
#define __net_exit
#define __aligned(n) __attribute__((aligned(n)))
#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define noinline __attribute__((noinline))
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))
#define smp_wmb() __atomic_signal_fence(__ATOMIC_ACQ_REL)
#define smp_load_acquire(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define BIT_ULL(n) (1ULL << (n))
#define U32_MAX UINT32_MAX
#define IS_ENABLED(x) 0
#define ALIGN(x, a) (((x) + (a) - 1) & ~((__typeof__(x))(a) - 1))
#define min_t(type, a, b) min((type)(a), (type)(b))
#define max_t(type, a, b) max((type)(a), (type)(b))
#define min3(a, b, c) min(min(a, b), c)
#define clamp(x, low, high) min(max(x, low), high)
#define ilog2(x) (fls64(x) - 1)
#define div64_u64(a, b) ((a) / (b))
#define __ffs64(x) __builtin_ctzll(x)
#define NSEC_PER_SEC 1000000000ULL
#define HZ 250UL
#define PAGE_SIZE 4096UL
#define GFP_KERNEL 0

static inline void *ERR_PTR(long error)
{
	return (void *)error;
}

static inline bool IS_ERR(const void *p)
{
	return (unsigned long)p >= (unsigned long)-4095;
}

/* ---- processors ---------------------------------------------------------------- */

#define BENCH_CPUS 64

extern unsigned int bench_cpus;
extern long bench_cpu_offset[BENCH_CPUS];
extern __thread long bench_this_offset;

#define DEFINE_PER_CPU(type, name) __attribute__((section("percpu"))) type name
#define DECLARE_PER_CPU(type, name) extern type name
#define per_cpu_ptr(p, cpu) ((__typeof__(&*(p)))((char *)(p) + bench_cpu_offset[cpu]))
#define this_cpu_ptr(p) ((__typeof__(&*(p)))((char *)(p) + bench_this_offset))
#define per_cpu(x, cpu) (*per_cpu_ptr(&(x), cpu))
#define this_cpu_read(x) (*this_cpu_ptr(&(x)))
#define this_cpu_write(x, value) ((void)(*this_cpu_ptr(&(x)) = (value)))
#define this_cpu_add(x, n) ((void)(*this_cpu_ptr(&(x)) += (n)))
#define this_cpu_inc(x) this_cpu_add(x, 1)
#define raw_cpu_inc(x) this_cpu_add(x, 1)
#define raw_cpu_dec(x) this_cpu_add(x, -1)
#define this_cpu_inc_return(x) (++*this_cpu_ptr(&(x)))
#define for_each_possible_cpu(cpu) for (cpu = 0; cpu < (int)bench_cpus; cpu++)
#define num_possible_cpus() bench_cpus
#define alloc_percpu(type) ((type *)bench_percpu_alloc(sizeof(type)))
#define free_percpu(p) ((void)(p))
void *bench_percpu_alloc(size_t bytes);

#define local_irq_save(flags) ((void)((flags) = 0))
#define local_irq_restore(flags) ((void)(flags))
#define in_task() true
#define __acquires(l)
#define __releases(l)
#define lockdep_assert_held(l) ((void)(l))
#define lockdep_assert_irqs_disabled() ((void)0)
#define rcu_read_lock() ((void)0)
#define rcu_read_unlock() ((void)0)
#define cond_resched() ((void)0)

/* ---- locks --------------------------------------------------------------------- */

typedef struct { int taken; } raw_spinlock_t;
struct mutex { int unused; };

#define DEFINE_RAW_SPINLOCK(name) raw_spinlock_t name
#define DEFINE_MUTEX(name) struct mutex name
#define raw_spin_lock_init(l) ((void)((l)->taken = 0))
#define raw_spin_lock_nested(l, depth) raw_spin_lock(l)
#define raw_spin_lock_irqsave(l, flags) (local_irq_save(flags), raw_spin_lock(l))
#define raw_spin_unlock_irqrestore(l, flags) (raw_spin_unlock(l), local_irq_restore(flags))
#define mutex_lock(m) ((void)(m))
#define mutex_unlock(m) ((void)(m))

#ifdef __x86_64__
#define bench_pause() __builtin_ia32_pause()
#else
#define bench_pause() __asm__ volatile("yield")
#endif

/* As the kernel's, as long as nobody else has it: one compare and exchange, one store. */
static inline void raw_spin_lock(raw_spinlock_t *lock)
{
	int free = 0;

	while (!__atomic_compare_exchange_n(&lock->taken, &free, 1, false, __ATOMIC_ACQUIRE,
					    __ATOMIC_RELAXED)) {
		free = 0;
		bench_pause();
	}
}

static inline void raw_spin_unlock(raw_spinlock_t *lock)
{
	__atomic_store_n(&lock->taken, 0, __ATOMIC_RELEASE);
}

typedef struct { unsigned int sequence; } seqcount_t;

#define seqcount_init(s) ((void)((s)->sequence = 0))
#define kcsan_nestable_atomic_begin() ((void)0)
#define kcsan_nestable_atomic_end() ((void)0)
#define raw_write_seqcount_begin(s) ((s)->sequence++, smp_wmb())
#define raw_write_seqcount_end(s) (smp_wmb(), (s)->sequence++)
#define raw_read_seqcount(s) READ_ONCE((s)->sequence)
#define read_seqcount_retry(s, before) (READ_ONCE((s)->sequence) != (before))

#define atomic_set(a, v) ((void)((a)->counter = (v)))
#define atomic_inc(a) ((void)__atomic_add_fetch(&(a)->counter, 1, __ATOMIC_RELAXED))
#define atomic_dec(a) ((void)__atomic_sub_fetch(&(a)->counter, 1, __ATOMIC_RELAXED))
#define atomic_read(a) READ_ONCE((a)->counter)
#define atomic64_set atomic_set
#define atomic64_inc atomic_inc
#define atomic64_dec atomic_dec
#define atomic64_read atomic_read
#define atomic64_add_return(n, a) ((u64)__atomic_add_fetch(&(a)->counter, (n), __ATOMIC_SEQ_CST))
#define atomic64_sub(n, a) ((void)__atomic_sub_fetch(&(a)->counter, (n), __ATOMIC_SEQ_CST))

struct rcu_head { int unused; };

#define rcu_access_pointer(p) READ_ONCE(p)
#define rcu_dereference_sched(p) READ_ONCE(p)
#define rcu_dereference_protected(p, held) (p)
#define rcu_assign_pointer(p, v) smp_store_release(&(p), v)
#define rcu_replace_pointer(p, v, held) ({ __typeof__(p) old_ = (p); (p) = (v); old_; })
#define lockdep_is_held(l) true
#define kfree_rcu(p, member) ((void)(p))

#define DECLARE_STATIC_KEY_FALSE(name) extern bool name
#define static_branch_unlikely(key) unlikely(READ_ONCE(*(key)))

/* ---- chains -------------------------------------------------------------------- */

struct list_head { struct list_head *next, *prev; };
struct hlist_nulls_node { struct hlist_nulls_node *next, **pprev; };
struct hlist_nulls_head { struct hlist_nulls_node *first; };

#define INIT_HLIST_NULLS_HEAD(head, n) \
	((head)->first = (struct hlist_nulls_node *)(1UL | (unsigned long)(n) << 1))
#define get_nulls_value(node) ((unsigned long)(node) >> 1)
#define hlist_nulls_for_each_entry_rcu(pos, at, head, member)                                           \
	for (at = READ_ONCE((head)->first);                                                             \
	     !((unsigned long)at & 1) && (pos = container_of(at, __typeof__(*pos), member), 1);         \
	     at = READ_ONCE(at->next))
#define list_for_each_entry(pos, head, member)                                                          \
	for (pos = container_of((head)->next, __typeof__(*pos), member); &pos->member != (head);        \
	     pos = container_of(pos->member.next, __typeof__(*pos), member))
#define list_last_entry(head, type, member) container_of((head)->prev, type, member)

static inline void hlist_nulls_add_head_rcu(struct hlist_nulls_node *node, struct hlist_nulls_head *head)
{
	struct hlist_nulls_node *first = head->first;

	node->next = first;
	node->pprev = &head->first;
	smp_store_release(&head->first, node);
	if (!((unsigned long)first & 1))
		first->pprev = &node->next;
}

static inline void hlist_nulls_del_rcu(struct hlist_nulls_node *node)
{
	WRITE_ONCE(*node->pprev, node->next);
	if (!((unsigned long)node->next & 1))
		node->next->pprev = node->pprev;
}

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline void list_add(struct list_head *entry, struct list_head *head)
{
	entry->next = head->next;
	entry->prev = head;
	head->next->prev = entry;
	head->next = entry;
}

static inline void list_del(struct list_head *entry)
{
	entry->next->prev = entry->prev;
	entry->prev->next = entry->next;
}

static inline u32 hash_64(u64 x, unsigned int bits)
{
	return x * 0x61C8864680B583EBULL >> (64 - bits);
}

#define hash_ptr(p, bits) hash_64((unsigned long)(p), bits)

/* ---- memory and text ------------------------------------------------------------ */

#define kvzalloc(bytes, gfp) bench_alloc(bytes)
#define kzalloc(bytes, gfp) bench_alloc(bytes)
#define kvfree(p) ((void)(p))
#define kfree(p) ((void)(p))
#define kmemdup(p, bytes, gfp) memcpy(bench_alloc(bytes), p, bytes)
/* Parameters can be set from outside, as at the module's load. */
#define module_param(name, type, mode) extern unsigned type *bench_param_##name; \
	unsigned type *bench_param_##name = &(name)
#define ulong long
#define MODULE_PARM_DESC(name, text) extern int bench_no_text
#define strscpy(to, from, size) ((void)snprintf(to, size, "%s", from))
#define copy_from_user_nofault(to, from, n) (memcpy(to, from, n), 0)

struct irq_work { void (*func)(struct irq_work *work); };
struct work_struct { void (*func)(struct work_struct *work); };

#define init_irq_work(w, f) ((void)((w)->func = (f)))
#define INIT_WORK(w, f) ((void)((w)->func = (f)))
#define irq_work_queue(w) ((w)->func(w))
#define irq_work_sync(w) ((void)(w))
#define cancel_work_sync(w) ((void)(w))
#define queue_work(q, w) ((w)->func(w))

void *bench_alloc(size_t bytes);
u32 full_name_hash(const void *salt, const char *name, unsigned int len);
u32 jhash(const void *key, u32 length, u32 initval);
#define get_random_u32() 1u /* counts of instructions are to repeat */

/* ---- time, threads and sockets --------------------------------------------------- */

extern __thread u64 bench_now_ns;
extern __thread struct task_struct *bench_current;

#define current bench_current
#define jiffies ((unsigned long)(bench_now_ns / (NSEC_PER_SEC / HZ)))
#define time_before(a, b) ((long)((a) - (b)) < 0)
#define time_after_eq(a, b) (!time_before(a, b))
#define ktime_get_mono_fast_ns() bench_now_ns
#define ktime_get_ns() bench_now_ns
#define local_clock() bench_now_ns
#define PF_KTHREAD 1
#define PF_EXITING 2

struct signal_struct { atomic_t live; u64 sum_sched_runtime; };

/* As large as it is somewhere; each thread's is its own. */
struct task_struct {
	unsigned int flags;
	char comm[16];
	struct signal_struct *signal;
	struct task_struct *group_leader;
	u64 start_time;
	struct { u64 sum_exec_runtime; } se;
};

#define for_each_thread(process, thread) for (thread = (process); thread; thread = NULL)
#define for_each_process(process) for (process = NULL; process;)
#define get_nr_threads(process) 1

struct net { struct { u32 inum; } ns; };
struct pernet_operations { void (*exit)(struct net *net); };
struct netlink_ext_ack { const char *message; };
struct sk_buff { const u8 *data; };

struct sock {
	u16 sk_family;
	u16 sk_num;
	__be16 sk_dport;
	u8 sk_state;
	u8 sk_shutdown;
	u8 sk_type;
	__be32 sk_daddr, sk_rcv_saddr;
	int sk_sndbuf;
	struct net *net;
};

struct tcp_sock { struct sock sk; u32 write_seq, copied_seq, rcv_nxt; };
struct unix_address { int len; struct sockaddr_un name[1]; };
struct unix_sock { struct sock sk, *peer; struct unix_address *addr; };

enum { TCP_ESTABLISHED = 1 };

#define SEND_SHUTDOWN 2
#define SINGLE_DEPTH_NESTING 1
#define tcp_sk(s) ((struct tcp_sock *)(s))
#define unix_sk(s) ((struct unix_sock *)(s))
#define sock_net(s) ((s)->net)
#define sk_wmem_alloc_get(s) ((void)(s), 0)
#define ipv4_is_loopback(addr) (((addr) & 0xff) == 127)
#define ntohs(x) __builtin_bswap16(x)
#define skb_copy_bits(skb, offset, to, n) (memcpy(to, (skb)->data + (offset), n), 0)
#define register_pernet_subsys(o) ((void)(o), 0)
#define unregister_pernet_subsys(o) ((void)(o))
#define NL_SET_ERR_MSG(extack, text) ((extack)->message = (text))

#endif
