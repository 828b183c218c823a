// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a program or library says of its code: where functions begin, what they are called,
 * and how a caller is found from a place in them (libelf, libdw)
 *
 * Names are those of .symtab, of the file or of the one with its build id below
 * /usr/lib/debug, or else .dynsym. A stripped file still tells of each function where it
 * begins, for the sake of exceptions: in the table that .eh_frame_hdr is.
 */
#include "binary.h"

#include "sections.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define DEBUG_FILES "/usr/lib/debug/.build-id"
#define OLD_VERSION 0x8000 /* in .gnu.version: not the one that is linked to */
#define COMPARED 256 /* bytes of names of one place: of long ones, which are alike, sorting has no end */

struct segment {
	u64 offset, bytes, address;
};

/**
 * struct tl_binary - An ELF file
 * @sections: what was read of both, @fd: the file, -1 for the kernel's own
 * @debug: the file that has its symbols, if it is another one
 * @eh: from .eh_frame, @other: from .debug_frame; NULL for none
 * @dwarf: what @other belongs to
 * @segment: [@segments] what is loaded
 * @function: [@functions] by address, one an address
 * @table: .eh_frame_hdr's, pairs of where a function begins and where it is described,
 *	   relative to @table_base; [@rows]
 * @soname_at: where its own name is in section @soname_names, if it @has_soname; @soname: it, once somebody asks
 * @named, @tabled, @framed: names, the table and how callers are found were looked for
 */
struct tl_binary {
	struct tl_sections sections;
	Elf *elf, *debug;
	int fd, debug_fd;
	Dwarf_CFI *eh, *other;
	Dwarf *dwarf;
	struct segment *segment;
	struct tl_function *function;
	size_t segments, functions, rows;
	const unsigned char *table;
	u64 table_base, soname_at;
	const char *soname;
	size_t soname_names;
	bool has_soname, named, tabled, framed;
};

/* ---- what is loaded, and the file's own name ------------------------------------------- */

static int segments_read(struct tl_binary *b)
{
	size_t n, i;
	GElf_Phdr head;

	if (elf_getphdrnum(b->elf, &n))
		return -EINVAL;
	b->segment = calloc(n + 1, sizeof(*b->segment));
	for (i = 0; i < n && b->segment; i++)
		if (gelf_getphdr(b->elf, (int)i, &head) && head.p_type == PT_LOAD)
			b->segment[b->segments++] = (struct segment){ head.p_offset, head.p_filesz,
								      head.p_vaddr };
	return b->segment ? 0 : -ENOMEM;
}

/* The first section of that type with that name, if one is given. */
static Elf_Scn *section_of(Elf *elf, GElf_Word type, const char *name, GElf_Shdr *head)
{
	Elf_Scn *section = NULL;
	const char *text;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, head) || head->sh_type != type)
			continue;
		text = name ? elf_strptr(elf, names, head->sh_name) : NULL;
		if (!name || (text && !strcmp(text, name)))
			return section;
	}
	return NULL;
}

static void soname_find(struct tl_binary *b)
{
	GElf_Shdr head;
	Elf_Scn *section = section_of(b->elf, SHT_DYNAMIC, NULL, &head);
	Elf_Data *data = section ? tl_sections_data(&b->sections, section, &head) : NULL;
	GElf_Dyn dyn;
	int i;

	for (i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		if (dyn.d_tag != DT_SONAME)
			continue;
		b->has_soname = true;
		b->soname_at = dyn.d_un.d_val;
		b->soname_names = head.sh_link;
	}
}

/* ---- where functions begin --------------------------------------------------------------- */

/* Only the one form that linkers write: searchable, signed 32-bit words relative to itself. */
static void table_read(struct tl_binary *b)
{
	static const unsigned char form[] = { 1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4,
					      DW_EH_PE_datarel | DW_EH_PE_sdata4 };
	GElf_Shdr head;
	Elf_Scn *section = section_of(b->elf, SHT_PROGBITS, ".eh_frame_hdr", &head);
	Elf_Data *data = section ? tl_sections_data(&b->sections, section, &head) : NULL;
	uint32_t rows;

	b->tabled = true;
	if (!data || !data->d_buf || data->d_size < 12 || memcmp(data->d_buf, form, sizeof(form)))
		return;
	memcpy(&rows, (char *)data->d_buf + 8, sizeof(rows));
	b->table = (unsigned char *)data->d_buf + 12;
	b->table_base = head.sh_addr;
	b->rows = min((size_t)rows, (data->d_size - 12) / 8);
}

static u64 row_at(const struct tl_binary *b, size_t row)
{
	int32_t begins;

	memcpy(&begins, b->table + 8 * row, sizeof(begins));
	return b->table_base + (u64)(s64)begins;
}

/* Return: where the function that an address is in begins; 0 if that is not known. */
static u64 start_of(const struct tl_binary *b, u64 address)
{
	size_t low = 0, high = b->rows, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (row_at(b, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? row_at(b, low - 1) : 0;
}

/* ---- names ------------------------------------------------------------------------------- */

/* Of aliases the one that is written in programs. */
static u32 rank_of(const GElf_Sym *sym, const char *name)
{
	u32 rank = GELF_ST_BIND(sym->st_info) == STB_LOCAL ? 5 : 0;

	while (*name == '_' && rank < 199) {
		rank += 10;
		name++;
	}
	return rank + (GELF_ST_BIND(sym->st_info) == STB_WEAK) + (sym->st_size ? 0 : 1000);
}

static int function_compare(const void *a, const void *b)
{
	const struct tl_function *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strncmp(x->name, y->name, COMPARED);
}

static bool is_function(const GElf_Sym *sym)
{
	return GELF_ST_TYPE(sym->st_info) == STT_FUNC && sym->st_shndx != SHN_UNDEF && sym->st_value;
}

static int functions_read(struct tl_binary *b, Elf *elf, GElf_Word type)
{
	GElf_Shdr head;
	Elf_Scn *section = section_of(elf, type, NULL, &head);
	size_t n = 0, i, kept = 0;
	Elf_Data *data = section ? tl_sections_symbols(&b->sections, section, &head, &n) : NULL;
	const char *name;
	GElf_Sym sym;

	if (!n)
		return 0;
	b->function = calloc(n, sizeof(*b->function));
	if (!b->function)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		if (!gelf_getsym(data, (int)i, &sym) || !is_function(&sym))
			continue;
		name = tl_sections_name(&b->sections, elf, head.sh_link, sym.st_name);
		if (name && *name)
			b->function[b->functions++] = (struct tl_function){ sym.st_value, sym.st_size, name,
									    rank_of(&sym, name) };
	}
	qsort(b->function, b->functions, sizeof(*b->function), function_compare);
	for (i = 0; i < b->functions; i++)
		if (!kept || b->function[kept - 1].address != b->function[i].address)
			b->function[kept++] = b->function[i];
	b->functions = kept;
	return 0;
}

static void debug_open(struct tl_binary *b)
{
	const unsigned char *id;
	const void *bits;
	char path[200];
	int n = 0, at;
	ssize_t len = tl_sections_notes_fit(b->elf) ? dwelf_elf_gnu_build_id(b->elf, &bits) : 0, i;

	if (len < 2 || len > 64)
		return;
	id = bits;
	at = snprintf(path, sizeof(path), "%s/%02x/", DEBUG_FILES, id[0]);
	for (i = 1; i < len; i++)
		n += snprintf(path + at + n, sizeof(path) - (size_t)(at + n), "%02x", id[i]);
	snprintf(path + at + n, sizeof(path) - (size_t)(at + n), ".debug");
	b->debug_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (b->debug_fd >= 0)
		b->debug = tl_sections_begin(b->debug_fd, &b->sections);
}

/* Only when the first name is wanted: of many libraries none ever is. */
static void names_read(struct tl_binary *b)
{
	b->named = true;
	if (functions_read(b, b->elf, SHT_SYMTAB) || b->functions)
		return;
	free(b->function);
	b->function = NULL;
	debug_open(b);
	if (functions_read(b, b->debug, SHT_SYMTAB) || b->functions)
		return;
	free(b->function);
	b->function = NULL;
	functions_read(b, b->elf, SHT_DYNSYM);
}

/* ---- for others ---------------------------------------------------------------------------- */

static struct tl_binary *binary_begin(Elf *elf, int fd)
{
	struct tl_binary *b = elf ? calloc(1, sizeof(*b)) : NULL;

	if (!b) {
		elf_end(elf);
		return NULL;
	}
	b->elf = elf;
	b->fd = fd;
	b->debug_fd = -1;
	if (elf_kind(elf) != ELF_K_ELF || gelf_getclass(elf) != ELFCLASS64 || segments_read(b)) {
		tl_binary_close(b);
		return NULL;
	}
	soname_find(b);
	return b;
}

/**
 * tl_binary_open() - Open a 64-bit ELF file
 * @fd: open for reading; stays the caller's and open until the file is closed
 * @why: set to what it is instead, to follow its name, if it is not opened; or NULL
 *
 * Return: it, to be given to tl_binary_close(); NULL if it is none, too large, or without memory.
 */
struct tl_binary *tl_binary_open(int fd, const char **why)
{
	struct tl_sections sections = { 0 };
	Elf *elf = tl_sections_begin(fd, &sections);

	if (why)
		*why = sections.refused ? sections.refused : "is no 64-bit program or library";
	return binary_begin(elf, fd);
}

/**
 * tl_binary_refused() - Was a part of it too large to be read?
 * @binary: file, of which something was asked
 *
 * Return: what was not read and what to do, to follow the file's name; NULL for nothing.
 */
const char *tl_binary_refused(const struct tl_binary *binary)
{
	return binary->sections.refused;
}

/**
 * tl_binary_vdso() - The library that the kernel puts into each process
 *
 * Return: it, as this process has it; NULL if there is none.
 */
struct tl_binary *tl_binary_vdso(void)
{
	char *image = (char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *head = (const void *)image;

	if (!image)
		return NULL;
	elf_version(EV_CURRENT);
	/* Its sections' heads are the last thing in it. */
	return binary_begin(elf_memory(image, head->e_shoff + (size_t)head->e_shnum * head->e_shentsize), -1);
}

/**
 * tl_binary_close() - Close a file
 * @binary: file or NULL; its names go with it
 */
void tl_binary_close(struct tl_binary *binary)
{
	if (!binary)
		return;
	if (binary->eh)
		dwarf_cfi_end(binary->eh);
	dwarf_end(binary->dwarf);
	elf_end(binary->debug);
	elf_end(binary->elf);
	if (binary->debug_fd >= 0)
		close(binary->debug_fd);
	free(binary->segment);
	free(binary->function);
	free(binary);
}

/**
 * tl_binary_soname() - What a library calls itself
 * @binary: file
 *
 * Return: the name, "" if it cannot be read, NULL if it has none.
 */
const char *tl_binary_soname(struct tl_binary *binary)
{
	if (binary->has_soname && !binary->soname) {
		binary->soname = tl_sections_name(&binary->sections, binary->elf, binary->soname_names,
						  binary->soname_at);
		binary->soname = binary->soname ? binary->soname : "";
	}
	return binary->soname;
}

/**
 * tl_binary_is_c() - Is it the C library, or a part of it, or what loads libraries?
 * @binary: file
 *
 * Return: whether it calls itself so.
 */
bool tl_binary_is_c(struct tl_binary *binary)
{
	static const char *const known[] = { "libc.so.", "libpthread.so.", "ld-linux", "libc.musl-", "ld-musl-",
					     "linux-vdso.so." };
	const char *soname = tl_binary_soname(binary);
	size_t i;

	for (i = 0; soname && i < ARRAY_SIZE(known); i++)
		if (!strncmp(soname, known[i], strlen(known[i])))
			return true;
	return false;
}

/**
 * tl_binary_address() - Where what is at a place of the file thinks that it is
 * @binary: file
 * @offset: in the file
 * @address: set to it
 *
 * Return: false if that place is not loaded.
 */
bool tl_binary_address(const struct tl_binary *binary, u64 offset, u64 *address)
{
	size_t i;

	for (i = 0; i < binary->segments; i++) {
		const struct segment *s = &binary->segment[i];

		/* Pages are loaded as a whole. */
		if (offset - (s->offset & ~(u64)4095) < s->bytes + (s->offset & 4095)) {
			*address = s->address + (offset - s->offset);
			return true;
		}
	}
	return false;
}

/**
 * tl_binary_name() - What the function is called that an address is in
 * @binary: file
 * @address: as the file has it
 * @start: set to where the function begins, or the address if that is not known
 *
 * Return: the name, which lasts as long as the file is open; NULL if there is none.
 */
const char *tl_binary_name(struct tl_binary *binary, u64 address, u64 *start)
{
	const struct tl_function *best;
	size_t low = 0, high, middle;
	u64 begins;

	if (!binary->tabled)
		table_read(binary);
	begins = start_of(binary, address);
	*start = begins ? begins : address;
	if (!binary->named)
		names_read(binary);
	high = binary->functions;
	while (low < high) {
		middle = (low + high) / 2;
		if (binary->function[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	best = &binary->function[low - 1];
	if (address - best->address >= best->size && best->address != begins)
		return NULL;
	*start = best->address;
	return best->name;
}

/* Of most files nobody asks. */
static void frames_open(struct tl_binary *b)
{
	b->framed = true;
	b->eh = tl_sections_frames_fit(b->elf) ? dwarf_getcfi_elf(b->elf) : NULL;
	if (!b->eh && tl_sections_debug_fits(b->fd, b->elf))
		b->dwarf = dwarf_begin_elf(b->elf, DWARF_C_READ, NULL);
	b->other = b->dwarf ? dwarf_getcfi(b->dwarf) : NULL;
}

/**
 * tl_binary_frame() - How the caller is found from an address
 * @binary: file
 * @address: as the file has it
 * @frame: set to what libdw says, to be freed by the caller
 *
 * Return: 0, or -ENOENT if the file does not say.
 */
int tl_binary_frame(struct tl_binary *binary, u64 address, Dwarf_Frame **frame)
{
	if (!binary->framed)
		frames_open(binary);
	if (binary->eh && !dwarf_cfi_addrframe(binary->eh, address, frame))
		return 0;
	if (binary->other && !dwarf_cfi_addrframe(binary->other, address, frame))
		return 0;
	return -ENOENT;
}

static bool offset_of(const struct tl_binary *binary, u64 address, u64 *offset)
{
	size_t i;

	for (i = 0; i < binary->segments; i++) {
		const struct segment *s = &binary->segment[i];

		if (address - s->address < s->bytes) {
			*offset = address - s->address + s->offset;
			return true;
		}
	}
	return false;
}

/**
 * tl_binary_is_static() - Is it a program that has its libraries in itself?
 * @binary: file
 *
 * Return: whether nothing else loads it.
 */
bool tl_binary_is_static(const struct tl_binary *binary)
{
	GElf_Phdr head;
	size_t n, i;

	if (elf_getphdrnum(binary->elf, &n))
		return false;
	for (i = 0; i < n; i++)
		if (gelf_getphdr(binary->elf, (int)i, &head) && head.p_type == PT_INTERP)
			return false;
	return !binary->has_soname;
}

/**
 * tl_binary_exports() - The functions that a library has for others
 * @binary: file
 * @exports: set to an array to be freed by the caller; the names last as long as the file
 * @n: set to its length
 *
 * Return: 0 or -ENOMEM.
 */
int tl_binary_exports(struct tl_binary *binary, struct tl_export **exports, size_t *n)
{
	GElf_Shdr head, versions_head;
	Elf_Scn *section = section_of(binary->elf, SHT_DYNSYM, NULL, &head);
	Elf_Scn *versions = section_of(binary->elf, SHT_GNU_versym, NULL, &versions_head);
	size_t symbols = 0, i;
	Elf_Data *data = section ? tl_sections_symbols(&binary->sections, section, &head, &symbols) : NULL;
	Elf_Data *version_data = versions ? tl_sections_data(&binary->sections, versions, &versions_head) : NULL;
	GElf_Versym version;
	GElf_Sym sym;

	*n = 0;
	*exports = calloc(symbols + 1, sizeof(**exports));
	for (i = 0; i < symbols && *exports; i++) {
		struct tl_export *e = &(*exports)[*n];

		if (!gelf_getsym(data, (int)i, &sym) || !is_function(&sym))
			continue;
		*e = (struct tl_export){ .name = tl_sections_name(&binary->sections, binary->elf, head.sh_link,
								    sym.st_name) };
		e->old = version_data && gelf_getversym(version_data, (int)i, &version) && version & OLD_VERSION;
		*n += offset_of(binary, sym.st_value, &e->offset) && e->name;
	}
	return *exports ? 0 : -ENOMEM;
}

/**
 * tl_binary_is_go() - Is it a program in Go?
 * @binary: file
 *
 * Its stacks move while it runs, and with them where a return is looked for.
 *
 * Return: whether it has what only Go's linker writes.
 */
bool tl_binary_is_go(const struct tl_binary *binary)
{
	static const char *const lines[] = { ".gopclntab", ".data.rel.ro.gopclntab" };
	GElf_Shdr head;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		if (section_of(binary->elf, SHT_PROGBITS, lines[i], &head))
			return true;
	return section_of(binary->elf, SHT_NOTE, ".note.go.buildid", &head);
}

/**
 * tl_binary_code() - The functions of a file, by .symtab, its debugging file or .dynsym
 * @binary: file
 * @code: set to an array to be freed by the caller; the names last as long as the file
 * @n: set to its length, 0 for a stripped program
 *
 * Return: 0 or -ENOMEM.
 */
int tl_binary_code(struct tl_binary *binary, struct tl_code **code, size_t *n)
{
	size_t i;

	if (!binary->named)
		names_read(binary);
	*n = 0;
	*code = calloc(binary->functions + 1, sizeof(**code));
	for (i = 0; i < binary->functions && *code; i++) {
		struct tl_code *c = &(*code)[*n];

		*c = (struct tl_code){ .name = binary->function[i].name, .size = binary->function[i].size };
		*n += offset_of(binary, binary->function[i].address, &c->offset);
	}
	return *code ? 0 : -ENOMEM;
}
