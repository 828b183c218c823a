// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a file says of itself: what kind it is, how it is linked, which libraries it asks for, and
 * whether it was stripped
 *
 * Files come from anywhere, also from processes that want to mislead: a path is followed only below
 * the root that was given where the kernel can do that, nothing but plain files is opened, and what
 * libelf refuses is no ELF.
 */
#include "origin-file.h"

#include "sections.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Absolute links in another machine's tree lead to files of that tree. */
static int open_below(const char *root, const char *path, int flags)
{
	struct open_how how = { .flags = (unsigned int)flags, .resolve = RESOLVE_IN_ROOT };
	int folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;

	if (folder < 0)
		return -errno;
	fd = (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
	fd = fd < 0 ? -errno : fd;
	close(folder);
	return fd;
}

#define TO_READ (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

static int open_in(const char *root, const char *path, int flags)
{
	char whole[8192];
	int fd = *root ? open_below(root, path, flags) : -ENOSYS;

	if (fd == -ENOSYS) {
		if ((size_t)snprintf(whole, sizeof(whole), "%s%s", root, path) >= sizeof(whole))
			return -ENAMETOOLONG;
		fd = open(whole, flags);
		fd = fd < 0 ? -errno : fd;
	}
	return fd;
}

/**
 * tl_origin_open_at() - Open a plain file to read it
 * @root: the folder that is the machine's, "" for this one's
 * @path: from there; absolute
 *
 * Return: file descriptor or a negative errno, -EINVAL for what is no plain file.
 */
int tl_origin_open_at(const char *root, const char *path)
{
	int fd = open_in(root, path, TO_READ);
	struct stat stat;

	if (fd >= 0 && (fstat(fd, &stat) || !S_ISREG(stat.st_mode))) {
		close(fd);
		return -EINVAL;
	}
	return fd;
}

/**
 * tl_origin_folder_at() - Open a folder to list it
 * @root: the folder that is the machine's, "" for this one's
 * @path: from there; absolute
 *
 * Return: file descriptor or a negative errno.
 */
int tl_origin_folder_at(const char *root, const char *path)
{
	return open_in(root, path, TO_READ | O_DIRECTORY);
}

/**
 * tl_origin_is_at() - Is something there, be it a link that leads nowhere?
 * @root: the folder that is the machine's, "" for this one's
 * @path: from there; absolute
 *
 * Return: whether there is.
 */
bool tl_origin_is_at(const char *root, const char *path)
{
	int fd = open_in(root, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static enum tl_origin_kind kind_of(int fd)
{
	unsigned char first[4] = { 0 };

	if (pread(fd, first, sizeof(first), 0) < 2)
		return TL_ORIGIN_KINDS;
	if (!memcmp(first, ELFMAG, SELFMAG))
		return TL_ORIGIN_ELF;
	if (!memcmp(first, "#!", 2))
		return TL_ORIGIN_SCRIPT;
	if (!memcmp(first, "PK\3\4", 4))
		return TL_ORIGIN_JAR;
	return memcmp(first, "\xca\xfe\xba\xbe", 4) ? TL_ORIGIN_KINDS : TL_ORIGIN_CLASS;
}

static void need_add(struct tl_origin_file *file, size_t *used, const char *name)
{
	size_t len = name ? strlen(name) : 0;

	if (!len || len + 2 > sizeof(file->needs) - *used)
		return;
	memcpy(file->needs + *used, name, len);
	*used += len;
	file->needs[(*used)++] = '\n';
	file->needs[*used] = '\0';
}

/* Return: whether it has a name for linkers. */
static bool dynamic_read(Elf *elf, Elf_Scn *section, const GElf_Shdr *head, struct tl_sections *sections,
			 struct tl_origin_file *file)
{
	Elf_Data *data = tl_sections_data(sections, section, head);
	size_t used = strlen(file->needs);
	bool soname = false;
	GElf_Dyn dyn;
	int i;

	for (i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		soname |= dyn.d_tag == DT_SONAME;
		if (dyn.d_tag == DT_NEEDED)
			need_add(file, &used, tl_sections_name(sections, elf, head->sh_link, dyn.d_un.d_val));
	}
	return soname;
}

static void sections_read(Elf *elf, struct tl_sections *sections, struct tl_origin_file *file, bool *soname)
{
	Elf_Scn *section = NULL;
	const char *name;
	GElf_Shdr head;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &head))
			continue;
		name = elf_strptr(elf, names, head.sh_name);
		file->symbols |= head.sh_type == SHT_SYMTAB;
		file->debug |= name && !strcmp(name, ".debug_info");
		file->versions |= head.sh_type == SHT_GNU_verdef;
		if (head.sh_type == SHT_DYNAMIC)
			*soname |= dynamic_read(elf, section, &head, sections, file);
	}
}

static void elf_read(int fd, struct tl_origin_file *file)
{
	struct tl_sections sections = { 0 };
	bool interpreter = false, soname = false;
	GElf_Phdr segment;
	GElf_Ehdr head;
	size_t n, i;
	Elf *elf;

	elf = tl_sections_begin(fd, &sections);
	file->refused = sections.refused;
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &head)) {
		elf_end(elf);
		file->kind = TL_ORIGIN_KINDS;
		return;
	}
	for (i = 0; !elf_getphdrnum(elf, &n) && i < n && !interpreter; i++)
		interpreter = gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_INTERP;
	sections_read(elf, &sections, file, &soname);
	file->refused = sections.refused;
	/* The C library can be run, too. */
	file->link = soname ? TL_ORIGIN_LINK_LIBRARY : interpreter || head.e_type == ET_EXEC ? TL_ORIGIN_LINK_PROGRAM :
												TL_ORIGIN_LINK_PLUGIN;
	elf_end(elf);
}

/**
 * tl_origin_file() - Look at a file
 * @root: the folder that is the machine's, "" for this one's
 * @path: from there
 * @file: set to what it says; nothing if it is not there or cannot be read
 */
void tl_origin_file(const char *root, const char *path, struct tl_origin_file *file)
{
	struct stat stat;
	int fd = *path == '/' ? tl_origin_open_at(root, path) : -ENOENT;

	*file = (struct tl_origin_file){ .kind = TL_ORIGIN_KINDS, .mtime = TL_ORIGIN_NO_TIME, .size = -1 };
	if (fd < 0)
		return;
	file->there = true;
	file->kind = kind_of(fd);
	if (!fstat(fd, &stat)) {
		file->mtime = stat.st_mtime;
		file->size = stat.st_size;
	}
	if (file->kind == TL_ORIGIN_ELF)
		elf_read(fd, file);
	close(fd);
}
