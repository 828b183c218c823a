/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SECTIONS_H
#define TL_SECTIONS_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TL_SECTIONS_NAME_MOST 4096 /* bytes of a name; what is longer is none */

/**
 * struct tl_sections - What is still read of an ELF file; all zero at first
 * @used: bytes that were read
 * @names: [@bytes] the last table of names, @names_of: whose it is, @names_at: its section
 * @refused: why something was not read, to follow the file's name and a colon; NULL for nothing
 */
struct tl_sections {
	uint64_t used;
	const char *names;
	size_t bytes, names_at;
	Elf *names_of;
	const char *refused;
};

Elf *tl_sections_begin(int fd, struct tl_sections *sections);
Elf_Data *tl_sections_data(struct tl_sections *sections, Elf_Scn *section, const GElf_Shdr *head);
Elf_Data *tl_sections_symbols(struct tl_sections *sections, Elf_Scn *section, const GElf_Shdr *head, size_t *n);
const char *tl_sections_name(struct tl_sections *sections, Elf *elf, size_t names, uint64_t at);
bool tl_sections_frames_fit(Elf *elf);
bool tl_sections_debug_fits(int fd, Elf *elf);
bool tl_sections_notes_fit(Elf *elf);

#endif
