/*
 * fingerprint.h: what makes a finding the same finding in another build, with another seed, on another machine: its kind,
 * the functions of its places, what they access and the code there. No line numbers, no addresses.
 */
#ifndef STORE_FINGERPRINT_H
#define STORE_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* A place that has a part in it. Null and 0: not known. */
struct fingerprint_place {
	const char *function, *variable, *file;
	uint32_t line;
	const char *code, *around; /* as source_code_tell has them; null: the file is asked */
};

/* What is looked at. The order of places does not matter, and one that is there twice counts once. */
struct fingerprint_subject {
	const char *kind;
	const char *detail;  /* of the kind: "double free"; may be "" */
	const char *program; /* what was run: for what has no place in the source */
	const struct fingerprint_place *places;
	size_t place_count;
	struct timespec built; /* files that are newer are not asked */
};

/* 32 hexadecimal digits each. */
struct fingerprint {
	char identity
		[33]; /* kind, functions, files without folders, and the text of the lines; without sources the variables */
	char context[33]; /* the lines around, and the variables: tells what is alike within one build apart */
};

void fingerprint_make(struct fingerprint *self, const struct fingerprint_subject *subject);

#endif
