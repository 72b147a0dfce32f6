/*
 * fake_woven.c: a woven object made by hand, so that the runtime and the readers are tested without the weave. Three
 * functions: add_one (an endbr64 before its entry), add_two, and twin, which shares the code of add_two as functions
 * folded by a linker do. Originals and clones return different numbers, which tells which one ran.
 *
 * -DFAKE_MAIN adds a main; without it, this is a shared library. -DFAKE_SITES=N adds N more sites to add_two.
 * -DFAKE_BROKEN gives add_two an entry that is no NOP. -DFAKE_VERSION=N: see the generated tables of the tests.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heddle/abi.h"

#ifndef FAKE_SITES
#define FAKE_SITES 1
#endif
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

extern const struct heddle_site fake_sites[] __attribute__((visibility("hidden")));
const struct heddle_build __heddle_build __attribute__((visibility("hidden"))) = {
	.id = { 0xfe, 0xed, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, FAKE_SITES & 255 },
	.unit_count = 2,
	.foreign_count = 5,
	.discarded_count = 1,
};

static volatile long shared_value;
static _Atomic long shared_atomic;

int add_one(int x) __attribute__((visibility("hidden")));
int add_two(int x) __attribute__((visibility("hidden")));
int fake_plain_one(int x) __attribute__((visibility("hidden")));
int fake_plain_two(int x) __attribute__((visibility("hidden")));
int fake_clone_one(int x) __attribute__((visibility("hidden"), section(HEDDLE_SECTION_CLONES)));
int fake_clone_two(int x) __attribute__((visibility("hidden"), section(HEDDLE_SECTION_CLONES)));
int fake_work(int times);
int fake_one(void);

/* clang-format off */
__asm__(".text\n"
	".globl add_one, add_two\n"
	".type add_one, @function\n"
	".type add_two, @function\n"
	".balign 16\n"
	"add_one: .byte 0xf3, 0x0f, 0x1e, 0xfa, 0x0f, 0x1f, 0x44, 0, 0\n"
	"jmp fake_plain_one\n"
	".balign 16\n"
#ifdef FAKE_BROKEN
	"add_two: .byte 0x90, 0x90, 0x90, 0x90, 0x90\n"
#else
	"add_two: .byte 0x0f, 0x1f, 0x44, 0, 0\n"
#endif
	"jmp fake_plain_two\n"
	".section .rodata.fake, \"a\", @progbits\n"
	".Lfile: .asciz \"src/fake.c\"\n"
	".Lheader: .asciz \"src/fake.h\"\n"
	".Lone: .asciz \"add_one\"\n"
	".Ltwo: .asciz \"add_two\"\n"
	".Ltwin: .asciz \"_ZN4fake4twinEi\"\n"
	".Lnaked: .asciz \"naked_one\"\n"
	".Linner: .asciz \"_ZN4fake5innerEv\"\n"
	".Louter: .asciz \"outer\"\n"
	".Lvalue: .asciz \"shared_value\"\n"
	".Lfield: .asciz \"q->head\\033[31m\\377\"\n"
	".section heddle_functions, \"aR\", @progbits\n"
	".balign 4\n"
	".zero 40\n"
	".Lf1: .long add_one - ., fake_clone_one - ., .Lone - ., .Lfile - ., 10, .Ls1 - ., 4, 3, 1\n.short 0, 1\n"
	".Lf2: .long add_two - ., fake_clone_two - ., .Ltwo - ., .Lfile - ., 20, .Ls5 - ., " TEXT(FAKE_SITES) ", 0, 0\n.short 0, 2\n"
	".Lf3: .long add_two - ., fake_clone_two - ., .Ltwin - ., .Lfile - ., 30, 0, 0, 0, 0\n.short 0, 4\n"
	".Lf4: .long fake_plain_two - ., 0, .Lnaked - ., .Lfile - ., 40, 0, 0, 0, 0\n.short 1, 0\n"
	".section heddle_inlines, \"aR\", @progbits\n"
	".balign 4\n"
	".zero 20\n"
	".Li1: .long .Linner - ., .Lheader - ., 7, 3, .Li2 - .\n"
	".Li2: .long .Louter - ., .Lfile - ., 12, 5, 0\n"
	".section heddle_sites, \"aR\", @progbits\n"
	".balign 8\n"
	".hidden fake_sites\n"
	".globl fake_sites\n"
	"fake_sites: .zero 32\n"
	".Ls1: .long .Lf1 - ., .Lfile - ., 11\n.short 9\n.byte 1, 0\n.long 8, .Lvalue - ., 0, 1\n"
	".Ls2: .long .Lf1 - ., .Lfile - ., 11\n.short 2\n.byte 2, 0\n.long 8, .Lvalue - ., 0, 1\n"
	".Ls3: .long .Lf1 - ., .Lheader - ., 99\n.short 1\n.byte 6, 0x36\n.long 4, .Lfield - ., .Li1 - ., 0\n"
	".Ls4: .long .Lf1 - ., .Lfile - ., 0\n.short 0\n.byte 2, 0\n.long 0, 0, 0, 34\n"
	".Ls5:\n"
	".rept " TEXT(FAKE_SITES) "\n"
	".long .Lf2 - ., .Lfile - ., 21\n.short 4\n.byte 3, 6\n.long 8, .Lvalue - ., 0, 0\n"
	".endr\n"
	".section heddle_calls, \"aR\", @progbits\n"
	".zero 12\n"
	".previous\n");

/* What the weave puts into clones: the stub for a register, with a record of the call (here 16 bytes off the address, to
 * see that the displacement counts), and hooks with arguments. */
#define ANNOUNCE(stub, address, site)                                                                              \
	__asm__ volatile("call __heddle_" stub "_rdi\n"                                                            \
			 "1: .pushsection heddle_calls, \"aR\", @progbits\n"                                       \
			 ".long 1b - ., fake_sites + 32 * " #site " - ., 16\n"                                     \
			 ".popsection"                                                                             \
			 : : "D"((uintptr_t)(address) - 16) : "r11", "cc", "memory")
#define HOOK(number, address, second, third)                                                                       \
	__asm__ volatile("call __heddle_call_" #number                                                             \
			 : : "D"(address), "S"(second), "d"(third) : "r11", "cc", "memory")
/* clang-format on */

int fake_plain_one(int x)
{
	shared_value++;
	return x + 1;
}

int fake_plain_two(int x)
{
	shared_atomic++;
	return x + 2;
}

int fake_clone_one(int x)
{
	ANNOUNCE("r3", &shared_value, 1);
	ANNOUNCE("w3", &shared_value, 2);
	HOOK(11, &shared_value, (size_t)x & 1, &fake_sites[4]);
	HOOK(12, &shared_value, 0l, &fake_sites[4]);
	shared_value++;
	return x + 101;
}

int fake_clone_two(int x)
{
	HOOK(14, &shared_atomic, &fake_sites[5], 0l);
	shared_atomic++;
	HOOK(15, &shared_atomic, &fake_sites[5], 1l);
	return x + 102;
}

/* 3 when both originals ran; 100 more for each clone that did. */
__attribute__((visibility("default"))) int fake_one(void)
{
	return add_one(0) + add_two(0);
}

__attribute__((visibility("default"))) int fake_work(int times)
{
	int sum = 0;
	for (int i = 0; i < times; i++)
		sum += add_one(i) + add_two(i);
	return sum;
}

#ifdef FAKE_MAIN
static int seen_by_constructor;

__attribute__((constructor(101))) static void early(void)
{
	seen_by_constructor = fake_one();
}

static void *thread_work(void *times)
{
	fake_work((int)(long)times);
	return NULL;
}

/* fake [work N | threads T N | fork P N | exec N | kill N | exit STATUS | sleep | env] */
int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "one";
	int first = argc > 2 ? atoi(argv[2]) : 0, second = argc > 3 ? atoi(argv[3]) : 0;
	if (strcmp(what, "one") == 0)
		printf("%d %d %d\n", seen_by_constructor, fake_one(), errno);
	else if (strcmp(what, "work") == 0)
		fake_work(first);
	else if (strcmp(what, "exit") == 0)
		return first;
	else if (strcmp(what, "kill") == 0) {
		fake_work(1000);
		raise(first);
	} else if (strcmp(what, "sleep") == 0) {
		puts("ready");
		fflush(stdout);
		sleep(30);
	} else if (strcmp(what, "exec") == 0 && first > 0) {
		char left[16];
		snprintf(left, sizeof left, "%d", first - 1);
		fake_work(10);
		execl(argv[0], argv[0], "exec", left, (char *)NULL);
	} else if (strcmp(what, "threads") == 0) {
		pthread_t threads[64];
		for (int i = 0; i < first; i++)
			pthread_create(&threads[i], NULL, thread_work, (void *)(long)second);
		for (int i = 0; i < first; i++)
			pthread_join(threads[i], NULL);
	} else if (strcmp(what, "fork") == 0) {
		for (int i = 0; i < first; i++)
			if (fork() == 0) {
				fake_work(second);
				_exit(0);
			}
		while (wait(NULL) > 0)
			;
	} else if (strcmp(what, "env") == 0)
		puts(getenv("LD_PRELOAD") ? getenv("LD_PRELOAD") : "");
	return 0;
}
#endif
