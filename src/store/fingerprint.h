/*
 * fingerprint.h: what makes a finding the same finding in another build, with another seed, on another machine: its kind,
 * the functions of its places, what they access and the code there. No line numbers, no addresses.
 */
#ifndef STORE_FINGERPRINT_H
#define STORE_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* A place that is involved in the finding. Null and 0: not known. */
struct fingerprint_place {
	const char *function, *variable, *file;
	uint32_t line;
	const char *code, *around; /* in the format of source_code_excerpt; null: read from the file */
};

/* The input. The order of places does not matter, and duplicates count once. */
struct fingerprint_subject {
	const char *kind;
	const char *detail;  /* of the kind: "double free"; may be "" */
	const char *program; /* what was run: for what has no place in the source */
	const struct fingerprint_place *places;
	size_t place_count;
	struct timespec built; /* newer files are not read */
};

/* 32 hexadecimal digits each. */
struct fingerprint {
	char identity
		[33]; /* kind, functions, files without folders, and the text of the lines; without sources the variables */
	char context[33]; /* the lines around, and the variables: distinguishes similar findings within one build */
};

void fingerprint_make(struct fingerprint *self, const struct fingerprint_subject *subject);

#endif
