/* calls_test.h: what the cases of calls_test.c use. */
#ifndef CALLS_TEST_H
#define CALLS_TEST_H

#include <sys/types.h>

#include "world/kernel/calls.h"

struct trial;

struct test_case {
	const char *name;
	/* Sets up the call in a fresh process, in a folder with the file "file" (10000 bytes) and the link "link" to it.
	 * Leaves the number negative when that is not possible here. */
	void (*prepare)(struct trial *trial);
	bool may_fail;  /* not every machine can do this */
	bool is_silent; /* succeeds and writes nothing */
};

extern const struct test_case file_cases[], socket_cases[], other_cases[];

/* Memory of the call's. Everything that the kernel may write must be in one. */
void *room(struct trial *trial, size_t size);
void *room_with(struct trial *trial, const void *from, size_t size);

/* The call to make: the number and six arguments, each of 64 bits. */
void call(struct trial *trial, long number, ...);
#define W(x) ((uint64_t)(x))
#define CALL1(n, a) call(trial, n, W(a), W(0), W(0), W(0), W(0), W(0))
#define CALL2(n, a, b) call(trial, n, W(a), W(b), W(0), W(0), W(0), W(0))
#define CALL3(n, a, b, c) call(trial, n, W(a), W(b), W(c), W(0), W(0), W(0))
#define CALL4(n, a, b, c, d) call(trial, n, W(a), W(b), W(c), W(d), W(0), W(0))
#define CALL5(n, a, b, c, d, e) call(trial, n, W(a), W(b), W(c), W(d), W(e), W(0))
#define CALL6(n, a, b, c, d, e, f) call(trial, n, W(a), W(b), W(c), W(d), W(e), W(f))
#define IMPOSSIBLE call(trial, -1l, W(0), W(0), W(0), W(0), W(0), W(0))

/* The call must fail with this errno. */
void must_fail(struct trial *trial, int error);

/* For a child that a case needs alive: returns never, ends with the parent. */
_Noreturn void stay(pid_t parent);

#define CASE(name) static void name(struct trial *trial)

#endif
