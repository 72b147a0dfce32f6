/*
 * document.h: what heddle test found, read back from its JSON (docs/FORMATS.md), for the writers of reports. So a report is the same
 * whether the test itself makes it, or it is made later or on another machine. Nothing in a document is trusted.
 */
#ifndef FORMATS_DOCUMENT_H
#define FORMATS_DOCUMENT_H

#include "base/err.h"
#include "base/json.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sources.h"

/* Start with { 0 }, or with is_own. */
struct document {
	struct json *tree;
	const struct json *findings; /* an array */
	const char *program;         /* never null; if there are several, the one that was tested last */
	const struct json *programs; /* an array, in a document made from a store; null: the document is of one test */
	bool is_own;                 /* it was made by the caller, so it may name any file as a source */
	char *root_path; /* the folder that reported paths are relative to, without links; null: there is no such folder */
	char **fingerprints; /* by finding: 32 hexadecimal digits, stable when lines move */
	size_t *heads;       /* by finding: the number of the worst of its group, which may be its own */
	struct sources sources;
	struct map paths; /* of sources: see document_path */
};

/* Parses. root: null for the repository that the working directory is in, or else that. Returns 0, or a negative errno
 * with err set: -EINVAL when it is not such a document. Release it in any case. */
int document_read(struct document *self, const char *text, size_t size_bytes, const char *root, struct err *err);
void document_release(struct document *self);

/* The program that a finding is of; never null. */
const char *document_program(const struct document *self, const struct json *finding);

/* Where a source is: relative to the root if it is below it, else in full; as it is named when it does not exist. Lives
 * as long as the document. */
const char *document_path(struct document *self, const char *file);

/* Whether the finding is suppressed. */
bool document_is_suppressed(const struct json *finding);

/* A string of an object, or "". */
const char *document_text(const struct json *object, const char *name);

/* Appends what runs of both orders of a data race lead to, lines, or nothing. */
void document_verdict(struct buf *out, const struct json *finding);

/* Appends what to try, lines with a title, or nothing. */
void document_advice(struct buf *out, const struct json *finding);

/* Appends the arguments of the program, as one line for people. */
void document_command(struct buf *out, const struct document *self);

#endif
