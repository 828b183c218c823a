// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sections of ELF files, as large as those of programs are and no larger
 *
 * libelf reads a section whole, and as many heads as a file says that it has. A file with a hole in it costs its
 * owner nothing, however large it says that its sections are, while whoever looks into it, as the daemon does, has to
 * have the memory. So what is read is asked for here: a file has 64 MiB, for its symbols, their names and all else.
 *
 * Half a million symbols are 12 MB in the file, their names some 40 MB in C++; 16 MB more are what binary.c makes of
 * them, and as much again while it sorts.
 */
#include "sections.h"

#include <endian.h>
#include <string.h>
#include <unistd.h>

/* Linkers make some 40 sections and a dozen segments. */
#define SECTIONS_MOST 4096
#define SEGMENTS_MOST 256
#define SECTION_NAMES_MOST (256U << 10)
#define BYTES_MOST (64U << 20)
#define SYMBOLS_MOST 500000
#define FRAMES_MOST (64U << 20) /* what says how callers are found: of Chromium some 20 MB */
#define DEBUG_MOST (128U << 20)
#define NOTES_MOST (1U << 20)

static const char too_many_heads[] = "has more than 4096 sections, 256 KiB of their names or 256 segments, as no "
				     "program has: it is not looked into";
static const char too_large[] = "its symbols and their names take more than 64 MiB: they are not read, keep fewer in "
				"it (objcopy --keep-symbols)";
static const char too_many[] = "has more than 500000 symbols: they are not read, keep fewer in it "
			       "(objcopy --keep-symbols)";

/* ---- heads ------------------------------------------------------------------------------- */

/* Where numbers do not fit into the first head they are elsewhere, and too large here. */
static bool counts_fit(const unsigned char *ident, uint16_t sections, uint16_t segments, bool has_sections)
{
	sections = ident[EI_DATA] == ELFDATA2MSB ? be16toh(sections) : le16toh(sections);
	segments = ident[EI_DATA] == ELFDATA2MSB ? be16toh(segments) : le16toh(segments);
	return sections <= SECTIONS_MOST && segments <= SEGMENTS_MOST && (sections || !has_sections);
}

static bool heads_fit(int fd)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr small;
		Elf64_Ehdr large;
	} head = { .ident = { 0 } };

	/* What is no ELF file libelf tells. */
	if (pread(fd, &head, sizeof(head), 0) < (ssize_t)sizeof(head.small) || memcmp(head.ident, ELFMAG, SELFMAG))
		return true;
	if (head.ident[EI_CLASS] == ELFCLASS32)
		return counts_fit(head.ident, head.small.e_shnum, head.small.e_phnum, head.small.e_shoff);
	return counts_fit(head.ident, head.large.e_shnum, head.large.e_phnum, head.large.e_shoff);
}

static bool section_names_fit(Elf *elf)
{
	GElf_Shdr head;
	size_t names;

	return elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) || !names ||
	       !gelf_getshdr(elf_getscn(elf, names), &head) || head.sh_size <= SECTION_NAMES_MOST;
}

/**
 * tl_sections_begin() - Open an ELF file
 * @fd: open for reading; stays the caller's and open until the file is ended
 * @sections: all zero; says if the file was refused
 *
 * Return: it, to be given to elf_end(), or NULL.
 */
Elf *tl_sections_begin(int fd, struct tl_sections *sections)
{
	Elf *elf = NULL;
	bool fits = heads_fit(fd);

	elf_version(EV_CURRENT);
	if (fits) {
		elf = elf_begin(fd, ELF_C_READ, NULL);
		fits = !elf || section_names_fit(elf);
	}
	if (fits)
		return elf;
	elf_end(elf);
	sections->refused = too_many_heads;
	return NULL;
}

/* ---- what is in them --------------------------------------------------------------------- */

/**
 * tl_sections_data() - Read a section
 * @sections: of the file; says if it was refused
 * @section: which
 * @head: its head
 *
 * Return: what is in it; lasts as long as the file. NULL if it is too large, or damaged.
 */
Elf_Data *tl_sections_data(struct tl_sections *sections, Elf_Scn *section, const GElf_Shdr *head)
{
	if (head->sh_type != SHT_NOBITS && head->sh_size > BYTES_MOST - sections->used) {
		sections->refused = too_large;
		return NULL;
	}
	sections->used += head->sh_type == SHT_NOBITS ? 0 : head->sh_size;
	return elf_getdata(section, NULL);
}

/**
 * tl_sections_symbols() - Read a table of symbols of a 64-bit file
 * @sections: of the file; says if it was refused
 * @section: which
 * @head: its head
 * @n: set to how many
 *
 * Return: they; NULL if there are too many, or if it is damaged.
 */
Elf_Data *tl_sections_symbols(struct tl_sections *sections, Elf_Scn *section, const GElf_Shdr *head, size_t *n)
{
	Elf_Data *data = NULL;

	*n = 0;
	if (head->sh_size / sizeof(Elf64_Sym) > SYMBOLS_MOST && head->sh_size <= BYTES_MOST)
		sections->refused = too_many;
	else
		data = tl_sections_data(sections, section, head);
	if (data)
		*n = data->d_size / sizeof(Elf64_Sym);
	return data;
}

static void names_read(struct tl_sections *sections, Elf *elf, size_t names)
{
	Elf_Scn *section = elf_getscn(elf, names);
	Elf_Data *data = NULL;
	GElf_Shdr head;

	if (gelf_getshdr(section, &head) && head.sh_type == SHT_STRTAB && !(head.sh_flags & SHF_COMPRESSED))
		data = tl_sections_data(sections, section, &head);
	sections->names_of = elf;
	sections->names_at = names;
	sections->names = data && data->d_buf ? data->d_buf : "";
	sections->bytes = data && data->d_buf ? data->d_size : 0;
}

/**
 * tl_sections_name() - A name in a table of names
 * @sections: of the file; says if the table was refused
 * @elf: the file, or that of its debugging symbols
 * @names: the table's section
 * @at: where the name begins there
 *
 * elf_strptr() looks for the table's last end at each name; if many names are asked for, of a large table that has
 * none, that takes for ever.
 *
 * Return: the name, which lasts as long as the file; NULL if there is none or it is too long.
 */
const char *tl_sections_name(struct tl_sections *sections, Elf *elf, size_t names, uint64_t at)
{
	size_t most;

	if (sections->names_of != elf || sections->names_at != names)
		names_read(sections, elf, names);
	if (at >= sections->bytes)
		return NULL;
	most = sections->bytes - at;
	if (most > TL_SECTIONS_NAME_MOST + 1)
		most = TL_SECTIONS_NAME_MOST + 1;
	return memchr(sections->names + at, '\0', most) ? sections->names + at : NULL;
}

/* ---- what libdw reads by itself ---------------------------------------------------------- */

/* Its own size when it is unpacked, which libdw does. */
static uint64_t unpacked(int fd, const GElf_Shdr *head, const char *name)
{
	unsigned char old[12];
	Elf64_Chdr packed;
	uint64_t size;

	if (head->sh_flags & SHF_COMPRESSED) {
		if (pread(fd, &packed, sizeof(packed), (off_t)head->sh_offset) == sizeof(packed))
			return packed.ch_size;
	} else if (!strncmp(name, ".zdebug", 7) &&
		   pread(fd, old, sizeof(old), (off_t)head->sh_offset) == sizeof(old)) {
		memcpy(&size, old + 4, sizeof(size));
		return be64toh(size);
	}
	return 0;
}

static uint64_t sum_up(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* Bytes of all sections whose name begins with one of two texts. @fd: -1 if they are not unpacked */
static uint64_t bytes_of(int fd, Elf *elf, const char *a, const char *b)
{
	Elf_Scn *section = NULL;
	uint64_t bytes = 0;
	const char *name;
	GElf_Shdr head;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return 0;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &head) || head.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, head.sh_name);
		if (!name || (strncmp(name, a, strlen(a)) && strncmp(name, b, strlen(b))))
			continue;
		bytes = sum_up(bytes, head.sh_size);
		if (fd >= 0)
			bytes = sum_up(bytes, unpacked(fd, &head, name));
	}
	return bytes;
}

static uint64_t segment_bytes(Elf *elf, GElf_Word type, GElf_Word other)
{
	uint64_t bytes = 0;
	GElf_Phdr head;
	size_t n, i;

	for (i = 0; !elf_getphdrnum(elf, &n) && i < n; i++)
		if (gelf_getphdr(elf, (int)i, &head) && (head.p_type == type || head.p_type == other))
			bytes = sum_up(bytes, head.p_filesz);
	return bytes;
}

/**
 * tl_sections_frames_fit() - Can dwarf_getcfi_elf() be asked?
 * @elf: the file
 *
 * Without sections it looks for their contents in what is loaded, and reads up to the end of that.
 *
 * Return: whether what it reads is not too large.
 */
bool tl_sections_frames_fit(Elf *elf)
{
	uint64_t bytes = bytes_of(-1, elf, ".eh_frame", ".eh_frame");

	return bytes ? bytes <= FRAMES_MOST : segment_bytes(elf, PT_GNU_EH_FRAME, PT_LOAD) <= FRAMES_MOST;
}

/**
 * tl_sections_debug_fits() - Can dwarf_begin_elf() be asked?
 * @fd: the file
 * @elf: the same
 *
 * Return: whether what it reads and unpacks is not too large.
 */
bool tl_sections_debug_fits(int fd, Elf *elf)
{
	return sum_up(bytes_of(fd, elf, ".debug", ".zdebug"), bytes_of(fd, elf, ".gnu", ".gnu")) <= DEBUG_MOST;
}

/**
 * tl_sections_notes_fit() - Can the build id be asked for?
 * @elf: the file
 *
 * Return: whether its notes, which are read for it, are not too large.
 */
bool tl_sections_notes_fit(Elf *elf)
{
	Elf_Scn *section = NULL;
	uint64_t bytes = segment_bytes(elf, PT_NOTE, PT_NOTE);
	GElf_Shdr head;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &head) && head.sh_type == SHT_NOTE)
			bytes = sum_up(bytes, head.sh_size);
	return bytes <= NOTES_MOST;
}
