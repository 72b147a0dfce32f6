/*
 * live_test.c: the checks behind live.t: functions are switched while threads call them. live_test CHECK: exits 0 when the check passed.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/live.h"
#include "rt/sys.h"

#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			printf("line %d: %s\n", __LINE__, #condition);                                                 \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

/* An original returns 1, its clone 2. */
extern int at_0(void), at_3(void), at_4(void), behind_endbr(void), no_entry(void), woven_copy(void);
extern const struct heddle_function functions[];
extern const char code_start[], code_end[];
__asm__(".pushsection .text.live, \"ax\", @progbits\n"
	".macro original name, before\n"
	".balign 64\n"
	".zero \\before, 0x90\n"
	"\\name:\n"
	".byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
	"movl $1, %eax\n"
	"ret\n"
	".endm\n"
	".balign 4096\n"
	"code_start:\n"
	"original at_0, 0\n"
	"original at_3, 3\n"
	"original at_4, 4\n"
	".balign 64\n"
	"behind_endbr: endbr64\n"
	".byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
	"movl $1, %eax\n"
	"ret\n"
	".balign 64\n"
	"no_entry: movl $1, %eax\n"
	"ret\n"
	".balign 64\n"
	"woven_copy: movl $2, %eax\n"
	"ret\n"
	".balign 4096\n"
	"code_end:\n"
	".popsection\n"
	".pushsection .data.rel.ro.live, \"aw\", @progbits\n"
	".macro row name\n"
	".long \\name - ., woven_copy - .\n"
	".zero 40 - 8\n"
	".endm\n"
	".balign 8\n"
	"functions:\n"
	"row at_0\n"
	"row at_3\n"
	"row at_4\n"
	"row behind_endbr\n"
	"row no_entry\n"
	".popsection\n");
_Static_assert(sizeof(struct heddle_function) == 40, "the rows above have this size");

static struct object object = { .range_count = 1 };
static int is_done;

static void *call(void *argument)
{
	long counts[3] = { 0 };
	(void)argument;
	while (!__atomic_load_n(&is_done, __ATOMIC_RELAXED))
		for (int i = 0; i < 1000; i++) {
			int result = at_0(), other = at_3();
			if ((result != 1 && result != 2) || (other != 1 && other != 2))
				return "a call returned something else";
			counts[result]++;
		}
	return counts[1] && counts[2] ? NULL : "no calls of one kind";
}

static void check_threads(void)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		CHECK(pthread_create(&threads[i], NULL, call, NULL) == 0);
	for (int i = 0; i < 20000; i++) {
		CHECK(live_switch(&object, &functions[0], i % 2 == 0) == 0);
		CHECK(at_0() == (i % 2 == 0 ? 2 : 1));
		CHECK(live_switch(&object, &functions[1], i % 3 == 0) == 0);
		CHECK(at_3() == (i % 3 == 0 ? 2 : 1));
	}
	__atomic_store_n(&is_done, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 4; i++) {
		void *wrong;
		CHECK(pthread_join(threads[i], &wrong) == 0);
		CHECK(!wrong || !printf("%s\n", (char *)wrong));
	}
}

static void check_refused(void)
{
	CHECK(live_switch(&object, &functions[2], true) == -ENOTSUP && at_4() == 1);
	CHECK(live_switch(&object, &functions[2], false) == 0);
	CHECK(live_switch(&object, &functions[3], true) == -ENOTSUP && behind_endbr() == 1);
	CHECK(live_switch(&object, &functions[4], true) == -EINVAL && no_entry() == 1);
	object.range_count = 0;
	CHECK(live_switch(&object, &functions[0], true) == -EINVAL && at_0() == 1);
}

int main(int argc, char **argv)
{
	object.ranges[0] = (struct object_range){ (uintptr_t)code_start, (uintptr_t)code_end, PROT_READ | PROT_EXEC };
	CHECK(live_is_possible());
	if (argc > 1 && strcmp(argv[1], "threads") == 0)
		check_threads();
	else if (argc > 1 && strcmp(argv[1], "refused") == 0)
		check_refused();
	else
		return 2;
	return 0;
}
