/*
 * patches.c: a program that has its own libc's system calls replaced (rt/enter/patch.c) as found by the tool
 * (launch/syscalls.c), and tries what can go wrong. tests/unit/patches.t runs it:
 *   patches count FILE...    what is found
 *   patches plain|patched    does a lot with libc (patches_libc.c) and says what came of it: both must say the same
 *   patches off              replaced, but nobody serves
 *   patches registers        random registers through system calls
 *   patches addresses        translation of addresses, of all that was replaced
 *   patches unwind           the stack from within a system call
 *   patches hostile SEED     damaged blocks
 *   patches damaged SEED FILE  copies of the file with bytes changed: found or refused, but no crash
 *   patches time             nanoseconds
 */
#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/proc.h"
#include "launch/syscalls.h"
#include "patches_libc.h"
#include "patches_world.h"
#include "rt/sys.h"
#include "rt/enter/patch.h"

static int failures;

/* A hook must not see what printf does. */
static void check(bool condition, int line, const char *text)
{
	bool was_on = entrance.serves;
	if (condition)
		return;
	entrance.serves = false;
	if (failures++ < 20)
		printf("patches.c:%d: %s\n", line, text);
	entrance.serves = was_on;
}

#define CHECK(condition) check(condition, __LINE__, #condition)

static uint64_t random_state = 88172645463325252u;

static uint64_t random_number(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	return random_state ^= random_state << 17;
}

/* Leaves the block at HEDDLE_FD_PATCHES. */
static void find(struct strings *paths)
{
	struct err err = ERR_INIT;
	int fd;
	if (syscalls_find((const char *const *)paths->items, paths->count, &fd, &err) < 0) {
		err_print(&err, "patches");
		exit(3);
	}
	if (dup2(fd, HEDDLE_FD_PATCHES) < 0) {
		perror("dup2");
		exit(3);
	}
	close(fd);
}

static int find_and_patch(void)
{
	struct strings paths = { 0 };
	syscalls_paths(&paths);
	Dl_info info;
	if (dladdr((void *)sample_before, &info))
		strings_add(&paths, info.dli_fname);
	find(&paths);
	strings_release(&paths);
	return patch_system_calls(HEDDLE_FD_PATCHES);
}

static void randomise(struct registers *registers)
{
	uint64_t *words = (uint64_t *)registers;
	for (size_t i = 0; i < 15; i++)
		words[i] = random_number();
	registers->rflags = (random_number() & 0x8d5) | 0x202;
}

/* The general registers, in the order of the structure: r11 is the seventh, rcx the twelfth. */
static bool are_equal(const struct registers *a, const struct registers *b, bool with_lost)
{
	const uint64_t *x = (const uint64_t *)a, *y = (const uint64_t *)b;
	for (size_t i = 0; i < 15; i++)
		if (x[i] != y[i] && (with_lost || (i != 6 && i != 11)))
			return false;
	return (a->rflags & 0x8d5) == (b->rflags & 0x8d5);
}

static struct registers seen, given;
static uint64_t new_rip, new_rsp;
static int hook_calls;

static void registers_hook(struct registers *registers)
{
	seen = *registers;
	hook_calls++;
	if (new_rip == registers->rip - 2) { /* again */
		registers->rip = new_rip;
		new_rip = 0;
		return;
	}
	uint64_t rip = registers->rip, rsp = registers->rsp;
	randomise(registers);
	given = *registers;
	registers->rip = new_rip ? new_rip : rip;
	registers->rsp = new_rsp ? new_rsp : rsp;
}

static void try_registers(void (*code)(void), uintptr_t behind, int kind)
{
	static char stack[64];
	randomise(&trip_in);
	new_rip = kind == 1 ? behind - 2 : kind == 2 ? (uintptr_t)trip_landing : 0;
	new_rsp = kind == 2 ? (uintptr_t)stack + 32 : 0;
	hook_calls = 0;
	trip(code);
	CHECK(hook_calls == (kind == 1 ? 2 : 1));
	CHECK(are_equal(&trip_in, &seen, false));
	CHECK(seen.number == trip_in.rax && seen.rip == behind && seen.rsp == trip_in.rsp);
	CHECK(seen.rcx == seen.rip && seen.r11 == seen.rflags && seen.extended == NULL);
	CHECK(are_equal(&given, &trip_out, kind == 2));
	CHECK(trip_out.rsp == (kind == 2 ? new_rsp : trip_in.rsp + 8));
}

#define NO_CALL 10000u

static uint64_t glanced;

/* Lets one call pass, which the kernel does not know. */
static __attribute__((no_caller_saved_registers, target("general-regs-only"))) bool glance(uint64_t number)
{
	glanced = number;
	return number == NO_CALL;
}

/* A call that passes leaves everything as the kernel does. */
static void try_glance(void (*code)(void))
{
	randomise(&trip_in);
	trip_in.rax = NO_CALL;
	hook_calls = 0;
	trip(code);
	struct registers expected = trip_in;
	expected.rax = (uint64_t)-ENOSYS;
	CHECK(hook_calls == 0 && glanced == NO_CALL);
	CHECK(are_equal(&expected, &trip_out, false));
	CHECK(trip_out.rsp == trip_in.rsp + 8);
}

static void test_glance(void)
{
	entrance.glance = glance;
	for (int i = 0; i < 30000 && failures == 0; i++) {
		try_glance(sample_before);
		try_glance(sample_behind);
		try_registers(sample_before, (uintptr_t)sample_before + SAMPLE_BEFORE_CALL_END, i % 3);
		CHECK(glanced == seen.number);
	}
	entrance.glance = NULL;
}

static void test_registers(void)
{
	CHECK(find_and_patch() > 500);
	CHECK(*(const unsigned char *)sample_before == 0xe9 && *(const unsigned char *)sample_behind == 0xe9);
	entrance.serves = true;
	world_hook = registers_hook;
	for (int i = 0; i < 100000 && failures == 0; i++) {
		try_registers(sample_before, (uintptr_t)sample_before + SAMPLE_BEFORE_CALL_END, i % 3);
		try_registers(sample_behind, (uintptr_t)sample_behind + SAMPLE_BEHIND_CALL_END, i % 3);
	}
	test_glance();
	world_hook = NULL;
	/* libc's own: six arguments, and the result's way into errno. */
	long (*call)(long, ...) = syscall;
	CHECK(call(SYS_getpid) == sys_call(SYS_getpid, 0, 0, 0, 0, 0, 0));
	void *map = (void *)call(SYS_mmap, 0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(map != MAP_FAILED && munmap(map, 4096) == 0);
	CHECK(call(SYS_close, -1) == -1);
	entrance.serves = false;
}

static void test_addresses(void)
{
	struct strings paths = { 0 };
	syscalls_paths(&paths);
	find(&paths);
	CHECK(patch_system_calls(HEDDLE_FD_PATCHES) > 500);
	off_t size = lseek(HEDDLE_FD_PATCHES, 0, SEEK_END);
	const char *block = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, HEDDLE_FD_PATCHES, 0);
	const struct heddle_patch_object *object = (const void *)(block + sizeof(struct heddle_patches));
	const struct heddle_patch *patches = (const void *)(block + object->first);
	Dl_info info;
	dladdr((void *)&getpid, &info);
	uintptr_t base = (uintptr_t)info.dli_fbase;
	for (uint32_t i = 0; i < object->count; i++) {
		uintptr_t run = base + patches[i].address;
		CHECK(patch_resume_address(run) == run && patch_original(run) == run);
		CHECK(patch_resume_address(run + patches[i].size) == run + patches[i].size);
		for (unsigned byte = 1; byte < patches[i].size; byte++) {
			uintptr_t moved = patch_resume_address(run + byte);
			CHECK(moved != run + byte);
			CHECK(byte == patches[i].call + 1u || patch_original(moved) == run + byte);
			/* All but the system call, which has the way into the world before it. */
			if (byte != patches[i].call && byte != patches[i].call + 1u)
				CHECK(*(const unsigned char *)moved == patches[i].bytes[byte]);
		}
		uintptr_t behind = patch_resume_address(run + patches[i].call);
		for (unsigned byte = 0; byte < 22 && patches[i].call > 0; byte++)
			CHECK(patch_original(behind + byte) == run + patches[i].call);
	}
	CHECK(patch_resume_address(0) == 0 && patch_original(0) == 0);
	CHECK(patch_resume_address((uintptr_t)&failures) == (uintptr_t)&failures);
	strings_release(&paths);
}

static void *frames[64];
static int frame_count;

static void unwind_hook(struct registers *registers)
{
	if (registers->number == SYS_getppid)
		frame_count = backtrace(frames, 64);
	world_pass(registers);
}

static __attribute__((noinline)) long unwind_from(void)
{
	long result = getppid();
	__asm__ volatile("");
	return result + 1;
}

static void test_unwind(void)
{
	CHECK(backtrace(frames, 64) > 0); /* loads what it needs */
	CHECK(find_and_patch() > 500);
	world_hook = unwind_hook;
	entrance.serves = true;
	unwind_from();
	entrance.serves = false;
	bool has_libc = false, has_own = false, has_main = false;
	for (int i = 0; i < frame_count; i++) {
		uintptr_t at = (uintptr_t)frames[i];
		has_libc |= at > (uintptr_t)&getppid && at <= (uintptr_t)&getppid + 16;
		has_own |= has_libc && at > (uintptr_t)&unwind_from && at < (uintptr_t)&unwind_from + 32;
		has_main |= has_own && at > (uintptr_t)&test_unwind && at < (uintptr_t)&test_unwind + 512;
	}
	CHECK(has_libc && has_own && has_main);
}

static void damage(char *block, size_t *size)
{
	size_t header = sizeof(struct heddle_patches) + 4 * sizeof(struct heddle_patch_object);
	uint64_t count = 1 + random_number() % 4;
	for (uint64_t i = 0; i < count; i++) {
		size_t room = random_number() % 2 ? *size : header + 200, at = random_number() % room;
		switch (random_number() % 4) {
		case 0:
			block[at] ^= (char)(1 << random_number() % 8);
			break;
		case 1:
			block[at] = (char)random_number();
			break;
		case 2:
			memset(block + at / 4 * 4, random_number() % 2 ? 0xff : 0, 4);
			break;
		default:
			if (random_number() % 4 == 0)
				*size = random_number() % (*size + 1);
		}
		if (*size < header + 200)
			return;
	}
}

static void test_hostile(uint64_t seed)
{
	struct strings paths = { 0 };
	syscalls_paths(&paths);
	find(&paths);
	random_state ^= seed * 0x9e3779b97f4a7c15u;
	size_t whole = (size_t)lseek(HEDDLE_FD_PATCHES, 0, SEEK_END);
	char *block = mem_alloc(whole), *copy = mem_alloc(whole);
	CHECK(pread(HEDDLE_FD_PATCHES, block, whole, 0) == (ssize_t)whole);
	int refused = 0;
	for (int i = 0; i < 400; i++) {
		size_t size = whole;
		memcpy(copy, block, whole);
		damage(copy, &size);
		int fd = memfd_create("damaged", 0);
		CHECK(write(fd, copy, size) == (ssize_t)size);
		dup2(fd, HEDDLE_FD_PATCHES);
		close(fd);
		pid_t child = fork();
		if (child == 0)
			sys_call(SYS_exit_group, patch_system_calls(HEDDLE_FD_PATCHES) < 0, 0, 0, 0, 0, 0);
		int status;
		CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
		refused += WEXITSTATUS(status);
	}
	CHECK(refused > 50);
	free(block);
	free(copy);
	strings_release(&paths);
}

static void test_damaged(uint64_t seed, const char *path)
{
	struct strings paths = { 0 };
	struct buf file = { 0 };
	struct err err = ERR_INIT;
	char name[64];
	random_state ^= seed * 0x9e3779b97f4a7c15u;
	unsetenv("HOME"); /* no cache: bytes change, the build-id as a rule does not */
	unsetenv("XDG_CACHE_HOME");
	CHECK(proc_read_file(path, &file, &err) == 0 && file.size > 4096);
	char *copy = mem_alloc(file.size);
	int fd = memfd_create("damaged", 0), found = 0;
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	strings_add(&paths, name);
	const Elf64_Ehdr *header = (const void *)file.data;
	for (int i = 0; i < 60; i++) {
		memcpy(copy, file.data, file.size);
		for (uint64_t change = random_number() % 100; change < 100; change++) {
			/* Headers of all kinds are where it hurts. */
			size_t at = random_number() % file.size, sections = file.size - header->e_shoff;
			if (random_number() % 3 == 0)
				at = random_number() % 1024;
			else if (random_number() % 3 == 0 && header->e_shoff < file.size)
				at = header->e_shoff + random_number() % sections;
			copy[at] = random_number() % 2 ? (char)random_number() : (char)(copy[at] ^ 0x80);
		}
		if (pwrite(fd, copy, file.size, 0) != (ssize_t)file.size)
			exit(3);
		struct err ignored = ERR_INIT;
		int block, code = syscalls_find((const char *const *)paths.items, 1, &block, &ignored);
		CHECK(code == 0 ? block >= 0 : code < 0 && block < 0 && ignored.message[0]);
		found += code == 0;
		if (code == 0)
			close(block);
	}
	CHECK(found > 0);
	free(copy);
	buf_release(&file);
	strings_release(&paths);
}

static void nothing_hook(struct registers *registers)
{
	registers->rax = 1;
}

static double time_calls(void)
{
	double best = 1e9;
	for (int round = 0; round < 20; round++) {
		struct timespec start, end;
		clock_gettime(CLOCK_MONOTONIC, &start);
		for (int i = 0; i < 50000; i++)
			getppid();
		clock_gettime(CLOCK_MONOTONIC, &end);
		double ns = ((double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec)) / 50000;
		best = ns < best ? ns : best;
	}
	return best;
}

static void show_time(void)
{
	double native = time_calls();
	find_and_patch();
	double off = time_calls();
	entrance.serves = true;
	double on = time_calls();
	world_hook = nothing_hook;
	double nothing = time_calls();
	entrance.serves = false;
	printf("getppid: native %.1f ns, patched with the world off %.1f, through the entry %.1f, the entry alone "
	       "%.1f\n",
	       native, off, on, nothing);
}

static void count_files(struct strings *paths)
{
	find(paths);
	struct heddle_patches header;
	if (pread(HEDDLE_FD_PATCHES, &header, sizeof header, 0) != sizeof header)
		exit(3);
	for (uint32_t i = 0; i < header.object_count; i++) {
		struct heddle_patch_object object;
		if (pread(HEDDLE_FD_PATCHES, &object, sizeof object, (off_t)(sizeof header + i * sizeof object)) !=
		    sizeof object)
			exit(3);
		char path[4096] = "";
		if (pread(HEDDLE_FD_PATCHES, path, sizeof path - 1, object.path) < 0)
			exit(3);
		printf("%s %u\n", path, object.count);
		for (uint32_t at = 0; at < object.count && getenv("LIST"); at++) {
			struct heddle_patch patch;
			if (pread(HEDDLE_FD_PATCHES, &patch, sizeof patch, (off_t)(object.first + at * sizeof patch)) !=
			    sizeof patch)
				exit(3);
			printf("%lx %u %u\n", patch.address, patch.size, patch.call);
		}
	}
	printf("found %zu, left out %zu, files from the cache %zu\n", syscalls_counts.found, syscalls_counts.left_out,
	       syscalls_counts.from_cache);
}

static void run_libc(const char *mode)
{
	if (strcmp(mode, "plain") != 0 && find_and_patch() < 500)
		exit(3);
	entrance.serves = strcmp(mode, "patched") == 0;
	use_libc();
	entrance.serves = false;
	fprintf(stderr, "%s\n", world_calls > 1000 ? "many" : world_calls ? "few" : "none");
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	if (strcmp(mode, "count") == 0) {
		struct strings paths = { 0 };
		for (int i = 2; i < argc; i++)
			strings_add(&paths, argv[i]);
		if (argc == 2)
			syscalls_paths(&paths);
		count_files(&paths);
	} else if (strcmp(mode, "registers") == 0) {
		test_registers();
	} else if (strcmp(mode, "addresses") == 0) {
		test_addresses();
	} else if (strcmp(mode, "unwind") == 0) {
		test_unwind();
	} else if (strcmp(mode, "hostile") == 0) {
		test_hostile(argc > 2 ? strtoull(argv[2], NULL, 10) : 1);
	} else if (strcmp(mode, "damaged") == 0 && argc > 3) {
		test_damaged(strtoull(argv[2], NULL, 10), argv[3]);
	} else if (strcmp(mode, "time") == 0) {
		show_time();
	} else {
		run_libc(mode);
	}
	return failures != 0;
}
