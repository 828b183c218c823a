// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs that say of themselves that they are very large: a hole in a file costs its owner nothing, and who looks
 * into it must not have to have the memory for it.
 */
#include "tap.h"

#include "binary.h"
#include "choose.h"
#include "maps.h"
#include "origin-file.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define HUGE_BYTES (300UL << 20)
#define CODE 0x401000

enum { NONE, SYMTAB, STRTAB, DYNSYM, DYNAMIC, NAMES, SECTIONS };

/**
 * struct image - A file that is made, all its sections behind each other
 * @head: of the file, @section: of its sections
 * @at: where the next one begins
 */
struct image {
	Elf64_Ehdr head;
	Elf64_Phdr segment;
	Elf64_Shdr section[SECTIONS];
	size_t at;
	int fd;
};

static const char section_names[] = "\0.symtab\0.strtab\0.dynsym\0.dynamic\0.shstrtab";

static void section_set(struct image *image, int i, Elf64_Word type, size_t name, size_t bytes, size_t each)
{
	image->section[i] = (Elf64_Shdr){ .sh_name = (Elf64_Word)name, .sh_type = type, .sh_offset = image->at, .sh_size = bytes,
					  .sh_link = STRTAB, .sh_entsize = each, .sh_addralign = 8 };
	image->at += (bytes + 4095) & ~4095UL;
}

/* @bytes: of each section; what is in them are zeros, without a place on the disk */
static void image_begin(struct image *image, size_t symtab, size_t strtab, size_t dynsym, size_t dynamic)
{
	*image = (struct image){ .at = 8192, .fd = memfd_create("program", MFD_CLOEXEC) };
	image->head = (Elf64_Ehdr){ .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_EXEC,
				    .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_ehsize = sizeof(Elf64_Ehdr),
				    .e_phoff = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
				    .e_shoff = 4096, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = SECTIONS, .e_shstrndx = NAMES };
	image->segment = (Elf64_Phdr){ .p_type = PT_LOAD, .p_vaddr = CODE, .p_filesz = 1UL << 30, .p_memsz = 1UL << 30 };
	section_set(image, SYMTAB, SHT_SYMTAB, 1, symtab, sizeof(Elf64_Sym));
	section_set(image, STRTAB, SHT_STRTAB, 9, strtab, 0);
	section_set(image, DYNSYM, SHT_DYNSYM, 17, dynsym, sizeof(Elf64_Sym));
	section_set(image, DYNAMIC, SHT_DYNAMIC, 25, dynamic, sizeof(Elf64_Dyn));
	section_set(image, NAMES, SHT_STRTAB, 34, sizeof(section_names), 0);
}

static void put(const struct image *image, int section, size_t at, const void *bytes, size_t n)
{
	if (pwrite(image->fd, bytes, n, (off_t)(image->section[section].sh_offset + at)) != (ssize_t)n)
		perror("pwrite");
}

/* Return: the file. */
static int image_end(const struct image *image)
{
	put(image, NAMES, 0, section_names, sizeof(section_names));
	if (ftruncate(image->fd, (off_t)image->at) ||
	    pwrite(image->fd, &image->head, sizeof(image->head), 0) != sizeof(image->head) ||
	    pwrite(image->fd, &image->segment, sizeof(image->segment), sizeof(image->head)) != sizeof(image->segment) ||
	    pwrite(image->fd, image->section, sizeof(image->section), 4096) != sizeof(image->section))
		perror("the image");
	return image->fd;
}

/* @each: bytes of a name, of which there are so many that all functions have one; 0: all have the same */
static int functions_make(struct image *image, int section, size_t n, size_t each, bool one_place)
{
	Elf64_Sym *sym = calloc(n, sizeof(*sym));
	char name[32];
	size_t i;

	for (i = 0; sym && i < n; i++) {
		sym[i] = (Elf64_Sym){ .st_name = (Elf64_Word)(each ? 1 + i * each : 1), .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				      .st_shndx = 1, .st_value = CODE + (one_place ? 0 : 64 * i), .st_size = 32 + i };
		snprintf(name, sizeof(name), "f%zu", i);
		if (each && i % 1000 == 0)
			put(image, STRTAB, 1 + i * each, name, strlen(name));
		else if (each)
			put(image, STRTAB, 1 + i * each, "f", 1);
	}
	put(image, section, 0, sym, n * sizeof(*sym));
	free(sym);
	return image_end(image);
}

static long resident_mib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss / 1024;
}

static void look(struct tl_choice *choice, int fd)
{
	struct tl_choose_options all = { 0 };

	memset(choice, 0, sizeof(*choice));
	if (tl_choose_file(choice, &all, fd, TL_MAPS_NO_FILE, "shop"))
		choice->functions = 0;
	tl_choice_sort(choice);
}

static void refused(int fd, const char *sentence, const char *what)
{
	long before = resident_mib();
	struct tl_choice choice;

	look(&choice, fd);
	ok(strstr(choice.note, sentence) && !choice.functions, "%s: %s", what, choice.note);
	ok(resident_mib() - before < 150, "and not read: %ld MiB more", resident_mib() - before);
	tl_choice_free(&choice);
}

static void sections(void)
{
	struct image image;

	image_begin(&image, HUGE_BYTES, 4096, 0, 0);
	refused(image_end(&image), "shop: its symbols and their names take more than 64 MiB", "symbols of 300 MiB");
	image_begin(&image, 24 * 1000, HUGE_BYTES, 0, 0);
	refused(functions_make(&image, SYMTAB, 1000, 0, false), "shop: its symbols and their names take", "names of 300 MiB");
	image_begin(&image, 0, 4096, HUGE_BYTES, 0);
	refused(image_end(&image), "shop: its symbols and their names take", "symbols of a library of 300 MiB");
	image_begin(&image, 0, 4096, 0, HUGE_BYTES);
	refused(image_end(&image), "shop: its symbols and their names take", "what it asks for, 300 MiB");
	image_begin(&image, 24 * 600000, 4096, 0, 0);
	refused(image_end(&image), "shop: has more than 500000 symbols", "600,000 symbols");
	image_begin(&image, 24 * 10, 4096, 0, 0);
	image.section[NAMES].sh_size = HUGE_BYTES;
	image.at += HUGE_BYTES;
	refused(image_end(&image), "shop: has more than 4096 sections, 256 KiB of their names", "names of sections of 300 MiB");
}

static void heads(void)
{
	struct image image;

	image_begin(&image, 0, 4096, 0, 0);
	image.head.e_shnum = 60000;
	image.at += 60000 * sizeof(Elf64_Shdr);
	refused(image_end(&image), "shop: has more than 4096 sections", "60,000 sections");
	image_begin(&image, 0, 4096, 0, 0);
	image.head.e_shnum = 0;
	image.section[NONE].sh_size = 3000000;
	image.at += 3000000 * sizeof(Elf64_Shdr);
	refused(image_end(&image), "shop: has more than 4096 sections", "three million");
	image_begin(&image, 0, 4096, 0, 0);
	image.head.e_phnum = 60000;
	image.at += 60000 * sizeof(Elf64_Phdr);
	refused(image_end(&image), "or 256 segments", "60,000 segments");
}

/* What real programs have is read. */
static void large(void)
{
	struct tl_choice choice;
	struct image image;
	long before = resident_mib();

	image_begin(&image, 24 * 490000, 50 << 20, 0, 0);
	look(&choice, functions_make(&image, SYMTAB, 490000, 100, false));
	ok(choice.functions >= TL_CHOOSE_MOST && choice.functions < 2 * TL_CHOOSE_MOST && choice.function[0].size == 32 + 490000 - 1,
	   "490,000 symbols with names of 49 MB: the largest of them, %zu", choice.functions);
	ok(strstr(choice.note, "functions: more than 131072 of them, so the smallest are left out"), "and that is told: %s", choice.note);
	ok(resident_mib() - before < 400, "and little memory: %ld MiB more", resident_mib() - before);
	tl_choice_free(&choice);
}

/* Work that grows with how many there are, times how long they are, is never done. */
static void slow(void)
{
	struct tl_choice choice;
	struct image image;
	char *name = malloc(40 << 20);

	if (!name)
		return;
	memset(name, 'x', 40 << 20);
	image_begin(&image, 24 * 400000, 40 << 20, 0, 0);
	put(&image, STRTAB, 0, name, (40 << 20) - 1);
	look(&choice, functions_make(&image, SYMTAB, 400000, 0, true));
	ok(!choice.functions, "400,000 names of 40 MiB are none");
	tl_choice_free(&choice);
	image_begin(&image, 24 * 400000, 40 << 20, 0, 0);
	put(&image, STRTAB, 0, "", 1);
	put(&image, STRTAB, 1, name, 4000);
	put(&image, STRTAB, 5000, name, (40 << 20) - 5000);
	look(&choice, functions_make(&image, SYMTAB, 400000, 0, true));
	ok(!choice.functions, "400,000 names of 4,000 bytes for one place, in a table without an end");
	tl_choice_free(&choice);
	free(name);
}

static void exports(void)
{
	struct tl_export *export;
	struct tl_binary *binary;
	struct image image;
	size_t n;
	int fd;

	image_begin(&image, 0, 4096, 24 * 10, 0);
	fd = functions_make(&image, DYNSYM, 10, 5, false);
	binary = tl_binary_open(fd, NULL);
	ok(binary && !tl_binary_exports(binary, &export, &n) && n == 10 && !tl_binary_refused(binary), "ten functions for others");
	if (binary)
		free(export);
	tl_binary_close(binary);
	close(fd);
	image_begin(&image, 0, 4096, HUGE_BYTES, 0);
	fd = functions_make(&image, DYNSYM, 10, 5, false);
	binary = tl_binary_open(fd, NULL);
	ok(binary && !tl_binary_exports(binary, &export, &n) && !n && tl_binary_refused(binary), "in 300 MiB: none, and told");
	if (binary)
		free(export);
	tl_binary_close(binary);
	close(fd);
}

static void origin(void)
{
	struct tl_origin_file file;
	struct image image;
	char path[64];
	long before;
	int fd;

	image_begin(&image, 0, 4096, 0, HUGE_BYTES);
	fd = image_end(&image);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	before = resident_mib();
	tl_origin_file("", path, &file);
	ok(file.there && file.kind == TL_ORIGIN_ELF && file.refused && resident_mib() - before < 150,
	   "where it comes from, without what it asks for: %s", file.refused ? file.refused : "not refused");
	close(fd);
	image_begin(&image, 0, 4096, 0, 0);
	image.head.e_shnum = 60000;
	image.at += 60000 * sizeof(Elf64_Shdr);
	fd = image_end(&image);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	tl_origin_file("", path, &file);
	ok(file.there && file.refused, "nor with 60,000 sections: %s", file.refused ? file.refused : "not refused");
	close(fd);
}

int main(void)
{
	/* What never ends has failed. */
	alarm(240);
	sections();
	heads();
	exports();
	origin();
	large();
	slow();
	return done();
}
