/*
 * err.h: how the tools report failure. Library code fills a struct err and returns a negative errno; only a main
 * prints. A message says what failed with the subject in quotes; a hint says what to do next.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdnoreturn.h>

struct buf;

/* Exit statuses of every Heddle command. */
enum { EXIT_FOUND_NOTHING = 0, EXIT_FINDINGS = 1, EXIT_USAGE = 2, EXIT_CANNOT = 3 };

/* Caller's storage; start with ERR_INIT. Nothing to release. */
struct err {
	char message[1024];
	char hint[1024];
};

#define ERR_INIT                                                                                                       \
	{                                                                                                              \
		{ 0 },                                                                                                 \
		{                                                                                                      \
			0                                                                                              \
		}                                                                                                      \
	}

/* Sets the message, unless one is set already (the first failure is kept), and returns -code. */
int err_set(struct err *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Sets the hint, unless one is set. */
void err_hint(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints "program: error: message" and "program: hint: ..." on standard error. */
void err_print(const struct err *err, const char *program);

/* Prints the text on standard error as it is; nothing if there is none. */
void err_show(const struct buf *text);

/* A fault of Heddle itself: prints where, and aborts. */
noreturn void bug_at(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)

#endif
