// SPDX-License-Identifier: GPL-2.0-or-later
/* Where a function is in a file, read anew: the tools do it by a library. */
#include "symbol.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int64_t file_offset(const Elf64_Ehdr *head, uint64_t address)
{
	const Elf64_Phdr *segment = (const void *)((const char *)head + head->e_phoff);
	unsigned int i;

	for (i = 0; i < head->e_phnum; i++, segment++)
		if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
		    address - segment->p_vaddr < segment->p_filesz)
			return address - segment->p_vaddr + segment->p_offset;
	return -1;
}

static int64_t find(const Elf64_Ehdr *head, const char *name)
{
	const char *file = (const char *)head;
	const Elf64_Shdr *sections = (const void *)(file + head->e_shoff), *names;
	const Elf64_Sym *symbol, *end;
	unsigned int i;

	for (i = 0; i < head->e_shnum; i++) {
		if (sections[i].sh_type != SHT_SYMTAB && sections[i].sh_type != SHT_DYNSYM)
			continue;
		names = &sections[sections[i].sh_link];
		symbol = (const void *)(file + sections[i].sh_offset);
		end = symbol + sections[i].sh_size / sizeof(*symbol);
		for (; symbol < end; symbol++)
			if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
			    !strcmp(file + names->sh_offset + symbol->st_name, name))
				return file_offset(head, symbol->st_value);
	}
	return -1;
}

/* Return: the offset, -1 if there is no such function. */
int64_t symbol_offset(const char *path, const char *name)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat stat;
	int64_t offset = -1;
	void *file;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &stat)) {
		file = mmap(NULL, stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (file != MAP_FAILED) {
			if (!memcmp(file, ELFMAG, SELFMAG))
				offset = find(file, name);
			munmap(file, stat.st_size);
		}
	}
	close(fd);
	return offset;
}
