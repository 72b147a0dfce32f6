/*
 * outputs.h: the files that findings are written to, in the requested formats. A path that is a folder,
 * or ends with "/", means the file of the usual name in it, index.html for a page; a missing folder is created.
 */
#ifndef CMD_OUTPUTS_H
#define CMD_OUTPUTS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "base/mem.h"
#include "formats/document.h"

enum output { OUTPUT_JSON, OUTPUT_SARIF, OUTPUT_JUNIT, OUTPUT_HTML, OUTPUT_COUNT };

/* Start with { 0 }, or with paths. */
struct outputs {
	const char *paths[OUTPUT_COUNT]; /* null: not wanted; "-": standard output; a folder: a file in it */
	FILE *files[OUTPUT_COUNT];
	char *inside[OUTPUT_COUNT]; /* of those that are in folders: their paths */
};

/* Checks that the outputs can be combined. Returns 0, or -EINVAL with err set when two of them would be the standard
 * output. */
int outputs_agree(const struct outputs *self, struct err *err);

/* Redirects the standard output to the file from here on; "-" and null: no change. Returns 0, or a negative errno with err set. */
int outputs_redirect(const char *path, struct err *err);

/* Opens all of them in advance, so that a file that cannot be written is noticed before the work begins. Returns 0, or a negative errno with err
 * set. */
int outputs_open(struct outputs *self, struct err *err);

/* Whether one of them is the standard output. */
bool outputs_has_stdout(const struct outputs *self);

/* Whether there is any. */
bool outputs_is_any(const struct outputs *self);

/* Writes them. json: what heddle test found (docs/FORMATS.md); null when that is not wanted. document: the same, read back. Returns 0, or
 * a negative errno with err set. */
int outputs_write(struct outputs *self, const struct buf *json, struct document *document, struct err *err);

/* The same for JSON that this program has just made: it is read back if an output needs a document. */
int outputs_write_own(struct outputs *self, const struct buf *json, struct err *err);

void outputs_release(struct outputs *self);

#endif
