/*
 * syscalls.c: see syscalls.h.
 *
 * A jump takes five bytes and the instruction that it replaces two, so the instructions around it move with it to the
 * target of the jump. They are taken from before (which sets the number of the call, as a rule), then from behind
 * (which compares the result). Invariants of a run of instructions that is replaced:
 *  1. It is decoded from the start of its function without doubt, and is at most 32 bytes.
 *  2. Nothing known jumps between its first and its last byte.
 *  3. All of it but the system call does the same elsewhere.
 *  4. No two runs overlap, and none holds a second system call.
 */
#include "launch/syscalls.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/elf_file.h"
#include "base/proc.h"
#include "heddle/abi.h"
#include "launch/code.h"
#include "launch/syscalls_cache.h"

#define JUMP_BYTES 5u
#define RUN_MAX sizeof(((struct heddle_patch *)0)->bytes)
#define INSTRUCTION_MAX 15u

struct syscalls_counts syscalls_counts;

/* By place: address - code.start. */
struct run {
	uint64_t start, end;
};

static bool is_target(const struct code *code, uint64_t place)
{
	return code->marks[place] & CODE_TARGET;
}

/* Nothing jumps between the first and the last byte of these places. */
static bool is_closed(const struct code *code, uint64_t start, uint64_t end)
{
	for (uint64_t place = start + 1; place < end; place++)
		if (is_target(code, place))
			return false;
	return true;
}

/* Takes the instruction before the run. */
static bool extend_before(const struct code *code, struct run *run, uint64_t lowest)
{
	for (uint64_t size = 1; size <= INSTRUCTION_MAX && run->start - lowest >= size; size++) {
		uint64_t place = run->start - size;
		if (code->sizes[place] != size)
			continue;
		if ((code->marks[place] & (CODE_MOVABLE | CODE_LEAVES)) != CODE_MOVABLE ||
		    !is_closed(code, place, run->start + 1) || run->end - place > RUN_MAX)
			return false;
		run->start = place;
		return true;
	}
	return false;
}

/* Takes the instruction behind it. Behind one that does not go on there may be padding, which is never executed. */
static bool extend_behind(const struct code *code, struct run *run, unsigned *last_marks)
{
	uint64_t place = run->end, size;
	if (place >= code->end - code->start)
		return false;
	unsigned marks = code->marks[place];
	size = code->sizes[place];
	if (size == 0 || is_target(code, place) || !is_closed(code, place, place + size) ||
	    place + size - run->start > RUN_MAX)
		return false;
	if (*last_marks & CODE_LEAVES ? !(marks & CODE_PADDING) : !(marks & CODE_MOVABLE))
		return false;
	run->end = place + size;
	*last_marks = marks | (*last_marks & CODE_LEAVES);
	return true;
}

static bool choose_run(const struct code *code, uint64_t call, uint64_t lowest, struct run *run)
{
	*run = (struct run){ call, call + 2 };
	unsigned last_marks = 0;
	if (is_target(code, call + 1))
		return false;
	while (run->end - run->start < JUMP_BYTES && extend_before(code, run, lowest))
		;
	while (run->end - run->start < JUMP_BYTES && extend_behind(code, run, &last_marks))
		;
	return run->end - run->start >= JUMP_BYTES;
}

/* rt_sigreturn: unwinders know a signal's frame by these very bytes. */
static bool is_signal_return(const unsigned char *bytes, uint64_t call)
{
	static const unsigned char forms[2][7] = { { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0 }, { 0xb8, 0x0f, 0, 0, 0 } };
	return (call >= 7 && memcmp(bytes + call - 7, forms[0], 7) == 0) ||
	       (call >= 5 && memcmp(bytes + call - 5, forms[1], 5) == 0);
}

/* The invariants above, of what was chosen. */
static void check_run(const struct code *code, const struct run *run, uint64_t call, uint64_t lowest)
{
	if (run->start < lowest)
		BUG("a run of instructions begins in the one before");
	if (run->end - run->start < JUMP_BYTES || run->end - run->start > RUN_MAX || call < run->start ||
	    call + 2 > run->end)
		BUG("a run of %" PRIu64 " bytes for a system call", run->end - run->start);
	if (!is_closed(code, run->start, run->end))
		BUG("something jumps into a run of instructions");
	uint64_t place = run->start;
	for (; place < run->end; place += code->sizes[place]) {
		if (!code->sizes[place])
			BUG("a run of instructions has a byte that was not decoded");
		if (place != call && (code->marks[place] & CODE_SYSCALL))
			BUG("a run of instructions has two system calls");
		if (place != call && !(code->marks[place] & (CODE_MOVABLE | CODE_PADDING)))
			BUG("a run of instructions has one that cannot be moved");
	}
	if (place != run->end)
		BUG("a run of instructions ends within one");
}

static void find_in_segment(const struct code *code, const struct elf_file *elf, const Elf64_Phdr *segment,
			    struct buf *patches)
{
	const unsigned char *bytes = (const unsigned char *)elf->bytes.data + segment->p_offset;
	uint64_t first = segment->p_vaddr - code->start, lowest = first;
	for (uint64_t at = 0; at + 2 <= segment->p_filesz; at++) {
		uint64_t call = first + at;
		if (bytes[at] != 0x0f || bytes[at + 1] != 0x05)
			continue;
		struct run run;
		bool is_call = code->sizes[call] == 2 && (code->marks[call] & CODE_SYSCALL);
		if (!is_call)
			continue;
		syscalls_counts.found++;
		if (is_signal_return(bytes, at) || !choose_run(code, call, lowest, &run) ||
		    run.end - first > segment->p_filesz) {
			syscalls_counts.left_out++;
			continue;
		}
		check_run(code, &run, call, lowest);
		struct heddle_patch patch = { .address = code->start + run.start,
					      .size = (uint8_t)(run.end - run.start),
					      .call = (uint8_t)(call - run.start) };
		memcpy(patch.bytes, bytes + (run.start - first), patch.size);
		buf_add(patches, &patch, sizeof patch);
		lowest = run.end;
	}
}

static int compare_patches(const void *a, const void *b)
{
	const struct heddle_patch *x = a, *y = b;
	return x->address < y->address ? -1 : x->address > y->address;
}

static void find_in_file(const struct elf_file *elf, struct buf *patches)
{
	struct code code;
	code_decode(&code, elf);
	for (uint32_t i = 0; i < elf->segment_count && code.end; i++)
		if (elf->segments[i].p_type == PT_LOAD && (elf->segments[i].p_flags & PF_X))
			find_in_segment(&code, elf, &elf->segments[i], patches);
	code_release(&code);
	if (patches->size)
		qsort(patches->data, patches->size / sizeof(struct heddle_patch), sizeof(struct heddle_patch),
		      compare_patches);
}

static int find_or_know(const char *path, struct buf *patches, struct err *err)
{
	struct elf_file elf;
	int code = elf_file_view(&elf, path, err);
	if (code == 0 && syscalls_cache_read(&elf, patches)) {
		syscalls_counts.from_cache++;
	} else if (code == 0) {
		find_in_file(&elf, patches);
		syscalls_cache_write(&elf, patches);
	}
	elf_file_release(&elf);
	return code;
}

/* The header and the objects first, then all patches, then all paths. */
static void lay_out(struct buf *block, struct heddle_patch_object *objects, uint32_t object_count,
		    const struct buf *patches, const struct buf *paths)
{
	struct heddle_patches header = { .magic = HEDDLE_PATCHES_MAGIC, .version = HEDDLE_ABI_VERSION };
	size_t first = sizeof header + object_count * sizeof *objects;
	first += -first & 7;
	for (uint32_t i = 0; i < object_count; i++) {
		objects[i].first += (uint32_t)first;
		objects[i].path += (uint32_t)(first + patches->size);
	}
	header.object_count = object_count;
	header.size_bytes = (uint32_t)(first + patches->size + paths->size);
	buf_add(block, &header, sizeof header);
	buf_add(block, objects, object_count * sizeof *objects);
	while (block->size < first)
		buf_add(block, "", 1);
	buf_add(block, patches->data, patches->size);
	buf_add(block, paths->data, paths->size);
}

static int make_file(const struct buf *block, int *fd, struct err *err)
{
	*fd = memfd_create("heddle-patches", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (*fd < 0)
		return err_set(err, errno, "cannot create a file in memory: %s", strerror(errno));
	int code = -proc_write_all(*fd, block->data, block->size);
	if (code) {
		close(*fd);
		*fd = -1;
		return err_set(err, code, "cannot write to a file in memory: %s", strerror(code));
	}
	/* It works without the seals, too. */
	fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
	return 0;
}

int syscalls_find(const char *const *paths, size_t count, int *fd, struct err *err)
{
	struct heddle_patch_object *objects = mem_alloc(count * sizeof *objects);
	struct buf all = { 0 }, names = { 0 }, block = { 0 };
	uint32_t object_count = 0;
	int code = 0;
	*fd = -1;
	syscalls_counts = (struct syscalls_counts){ 0 };
	for (size_t i = 0; i < count && code == 0; i++) {
		struct buf patches = { 0 };
		char *path = realpath(paths[i], NULL);
		code = find_or_know(path ? path : paths[i], &patches, err);
		if (code == 0 && patches.size) {
			objects[object_count++] = (struct heddle_patch_object){
				.path = (uint32_t)names.size,
				.first = (uint32_t)all.size,
				.count = (uint32_t)(patches.size / sizeof(struct heddle_patch)),
			};
			buf_add(&names, path ? path : paths[i], strlen(path ? path : paths[i]) + 1);
			buf_add(&all, patches.data, patches.size);
		}
		free(path);
		buf_release(&patches);
	}
	if (code == 0) {
		lay_out(&block, objects, object_count, &all, &names);
		code = make_file(&block, fd, err);
	}
	free(objects);
	buf_release(&all);
	buf_release(&names);
	buf_release(&block);
	return code;
}

static void add_path(struct strings *paths, const char *path)
{
	char *real = realpath(path, NULL);
	if (real && access(real, R_OK) == 0 && !strings_has(paths, real))
		strings_add(paths, real);
	free(real);
}

static bool has_name(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	return strcmp(slash ? slash + 1 : path, name) == 0;
}

static int add_own_libc(struct dl_phdr_info *info, size_t size, void *paths)
{
	(void)size;
	if (info->dlpi_name && has_name(info->dlpi_name, "libc.so.6"))
		add_path(paths, info->dlpi_name);
	return 0;
}

void syscalls_paths(struct strings *paths)
{
	static const char *const names[] = { "libpthread.so.0", "libgomp.so.1", "libomp.so.5" };
	static const char *const folders[] = { "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64",
					       "/usr/lib64", "/usr/local/lib" };
	dl_iterate_phdr(add_own_libc, paths);
	for (size_t folder = 0; folder < sizeof folders / sizeof *folders; folder++)
		for (size_t name = 0; name < sizeof names / sizeof *names; name++) {
			char *path = mem_format("%s/%s", folders[folder], names[name]);
			add_path(paths, path);
			free(path);
		}
}
