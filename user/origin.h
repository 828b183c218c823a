/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_ORIGIN_H
#define TL_ORIGIN_H

#include "model/naive-bayes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tl_error;
struct tl_origin_packages;

enum tl_origin_label {
	TL_ORIGIN_USER,
	TL_ORIGIN_SYSTEM,
	TL_ORIGIN_THIRD_PARTY,
	TL_ORIGIN_LABELS,
	TL_ORIGIN_UNSURE = TL_ORIGIN_LABELS,
};

enum tl_origin_kind { TL_ORIGIN_ELF, TL_ORIGIN_SCRIPT, TL_ORIGIN_JAR, TL_ORIGIN_CLASS, TL_ORIGIN_KINDS };

/* What runs on the processor itself, or by an interpreter of files; and what a Java machine runs. */
enum tl_origin_family { TL_ORIGIN_NATIVE, TL_ORIGIN_JAVA, TL_ORIGIN_FAMILIES };

extern const char *const tl_origin_labels[TL_ORIGIN_LABELS + 1], *const tl_origin_kinds[TL_ORIGIN_KINDS];
extern const char *const tl_origin_families[TL_ORIGIN_FAMILIES];

#define TL_ORIGIN_NO_TIME INT64_MIN
#define TL_ORIGIN_SURE 0.5 /* what is less likely is unsure, if nobody says otherwise */

/**
 * struct tl_origin_item - A file or class, and what is known of it
 * @path: of the file; of a class in an archive the archive's, "!/" and the path in it
 * @kind: or TL_ORIGIN_KINDS if it is not known
 * @program: path of the program that has it, or the name of its main class; NULL if not known
 * @main: the program's main class; NULL if not known
 * @package: of the distribution; "" for none; NULL if not known
 * @program_package: the program's
 * @group: of what it is one of many that are alike; NULL: the package, the program or the folder
 * @mtime: seconds since the epoch, or TL_ORIGIN_NO_TIME
 * @program_mtime: the program's
 * @size: bytes; negative if not known
 */
struct tl_origin_item {
	const char *path, *program, *main, *package, *program_package, *group;
	enum tl_origin_kind kind;
	int64_t mtime, program_mtime, size;
};

/* ---- the model --------------------------------------------------------------------------- */

/**
 * struct tl_origin_model - What was learned
 * @family: of each its examples
 * @asked: libraries that others than those whose they are ask for, by name
 * @rows: of what it was learned
 * @command: what it was learned with, owned
 */
struct tl_origin_model {
	struct tl_bayes family[TL_ORIGIN_FAMILIES];
	struct tl_ids asked;
	uint64_t rows;
	char *command;
};

int tl_origin_model_init(struct tl_origin_model *model, double smooth);
int tl_origin_model_read(struct tl_origin_model *model, const char *file, struct tl_error *err);
int tl_origin_model_write(const struct tl_origin_model *model, const char *file, struct tl_error *err);
void tl_origin_model_free(struct tl_origin_model *model);
char *tl_origin_model_shipped(void);

/* ---- what is asked of it ----------------------------------------------------------------- */

/**
 * struct tl_origin_pattern - What somebody knows better
 * @text: as of fnmatch(), for the path, the file's name, or a class's name with dots
 */
struct tl_origin_pattern {
	const char *text;
	enum tl_origin_label label;
};

/**
 * struct tl_origin - All that is needed to tell where code comes from
 * @pattern: [@patterns]; the last one that fits is right
 * @sure: what is less likely than that is unsure
 * @root: folder where files are looked at; "" for the machine's own
 * @packages: the package database there; NULL for none
 * @note: why there is none, if there is one that cannot be used; "" for nothing
 */
struct tl_origin {
	struct tl_origin_model model;
	struct tl_origin_pattern *pattern;
	size_t patterns;
	double sure;
	const char *root;
	struct tl_origin_packages *packages;
	char note[600];
};

/**
 * struct tl_origin_verdict - Where something comes from
 * @label: or TL_ORIGIN_UNSURE
 * @likeliest: also if it is unsure
 * @kind: as given, or as found
 * @pattern: that was right, or NULL
 * @posterior: of @likeliest
 * @bayes: of each; what a pattern overruled
 * @refused: what of the file was too large to be read, to follow its name and a colon; NULL for nothing
 */
struct tl_origin_verdict {
	enum tl_origin_label label, likeliest;
	enum tl_origin_kind kind;
	const char *pattern, *refused;
	double posterior;
	struct tl_bayes_out bayes;
};

int tl_origin_open(struct tl_origin *origin, const char *model, const char *root, struct tl_error *err);
void tl_origin_close(struct tl_origin *origin);
int tl_origin_pattern(struct tl_origin *origin, enum tl_origin_label label, const char *text);
int tl_origin_judge(const struct tl_origin *origin, const struct tl_origin_item *item, struct tl_origin_verdict *verdict);
bool tl_origin_probed(const struct tl_origin_verdict *verdict);
enum tl_origin_family tl_origin_family(enum tl_origin_kind kind);

/* What a method probe would be put on: called for each function of a file. */
typedef int tl_origin_function(void *arg, const char *name, uint64_t offset);
int tl_origin_functions(const char *root, const char *path, tl_origin_function *each, void *arg, struct tl_error *err);

#endif
