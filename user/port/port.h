/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User space's side of the core's seam: the few kernel words that the core uses. */
#ifndef TL_PORT_H
#define TL_PORT_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#define U64_MAX UINT64_MAX
#define BIT(n) (1UL << (n))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
/* As the kernel's: it can be called from elsewhere nevertheless. */
#define tl_inline inline __attribute__((gnu_inline, always_inline))
#define tl_noinline __attribute__((__noinline__))
#define WARN_ON_ONCE(x) ({ bool warn_ = (x); assert(!warn_); warn_; })
#define min(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ < b_ ? a_ : b_; })
#define max(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })

static inline unsigned int hweight64(u64 x)
{
	return (unsigned int)__builtin_popcountll(x);
}

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

#endif
