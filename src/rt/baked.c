/* baked.c: see baked.h. The program's own memory is read by the kernel, which faults nowhere: pages of a file that was cut are mapped, but gone. */
#include "rt/baked.h"

#include <elf.h>
#include <string.h>
#include <sys/uio.h>

#include "heddle/guard.h"
#include "rt/message.h"
#include "rt/object.h"
#include "rt/sys.h"

static const char damaged[] = "the guard data that the program carries are damaged";
static const void *data;
static size_t data_bytes;

/* Where the loader has taken variables out of the environment, more than one null ends it. */
static uint64_t fact(char **environment, uint64_t type)
{
	char **end = environment;
	while (end && *end)
		end++;
	while (end && !*end)
		end++;
	for (const Elf64_auxv_t *entry = (void *)end; entry && entry->a_type != AT_NULL; entry++)
		if (entry->a_type == type)
			return entry->a_un.a_val;
	return 0;
}

bool baked_is_secure(char **environment)
{
	return fact(environment, AT_SECURE) != 0;
}

static bool read_memory(void *to, uintptr_t from, size_t size_bytes)
{
	for (size_t done = 0; done < size_bytes;) {
		struct iovec local = { (char *)to + done, size_bytes - done };
		struct iovec remote = { (void *)(from + done), size_bytes - done };
		long got = sys_call(SYS_process_vm_readv, sys_pid(), (long)&local, 1, (long)&remote, 1, 0);
		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

/* A note in the program's memory. */
struct found {
	uintptr_t address; /* of the descriptor */
	size_t size_bytes;
};

/* Returns 1, 0 when there is none, or -1: the memory cannot be read. */
static int find_in(uintptr_t at, size_t left, uint32_t type, struct found *found)
{
	struct {
		Elf64_Nhdr head;
		char owner[sizeof HEDDLE_NOTE_NAME];
	} note;
	while (left >= sizeof note.head) {
		const size_t readable = left < sizeof note ? sizeof note.head : sizeof note;
		memset(&note, 0, sizeof note);
		if (!read_memory(&note, at, readable))
			return -1;
		const uint64_t name = ((uint64_t)note.head.n_namesz + 3) & ~(uint64_t)3;
		const uint64_t size = ((uint64_t)note.head.n_descsz + 3) & ~(uint64_t)3;
		if (sizeof note.head + name + note.head.n_descsz > left)
			return 0;
		if (note.head.n_type == type && note.head.n_namesz == sizeof HEDDLE_NOTE_NAME &&
		    memcmp(note.owner, HEDDLE_NOTE_NAME, sizeof HEDDLE_NOTE_NAME) == 0) {
			*found = (struct found){ at + sizeof note.head + name, note.head.n_descsz };
			return 1;
		}
		const uint64_t all = sizeof note.head + name + size;
		if (all >= left)
			return 0;
		at += all;
		left -= all;
	}
	return 0;
}

/* Of the notes of the program's own file. Returns as find_in. */
static int find_note(char **environment, uint32_t type, struct found *found)
{
	const Elf64_Phdr *segments = (const void *)fact(environment, AT_PHDR);
	const uint64_t count = fact(environment, AT_PHNUM);
	uintptr_t bias = 0;
	int result = 0;
	if (!segments || fact(environment, AT_PHENT) != sizeof *segments)
		return 0;
	for (uint64_t i = 0; i < count; i++)
		if (segments[i].p_type == PT_PHDR)
			bias = (uintptr_t)segments - segments[i].p_vaddr;
	for (uint64_t i = 0; i < count && result <= 0; i++)
		if (segments[i].p_type == PT_NOTE) {
			int one = find_in(bias + segments[i].p_vaddr, segments[i].p_memsz, type, found);
			result = one ? one : result;
		}
	return result;
}

/* The build of the program's own tables; null: it has none. */
static const uint8_t *own_build(char **environment)
{
	struct found found;
	if (find_note(environment, HEDDLE_NOTE_OBJECT, &found) <= 0 || found.size_bytes < sizeof(struct heddle_note))
		return NULL;
	const struct heddle_note *note = (const void *)found.address;
	const struct heddle_object *object = object_at(&note->object);
	const struct heddle_build *build = object ? object_at(&object->build) : NULL;
	return build ? build->id : NULL;
}

/* Null: the data were copied. */
static const char *take(char **environment, const struct found *found)
{
	struct heddle_baked head;
	if (found->size_bytes < sizeof head || !read_memory(&head, found->address, sizeof head))
		return damaged;
	if (head.version != HEDDLE_ABI_VERSION)
		return "the guard data that the program carries were made by another version of Heddle";
	if (head.size_bytes % 8 != 0 || head.size_bytes > found->size_bytes - sizeof head)
		return damaged;
	const uint8_t *build = own_build(environment);
	if (build && memcmp(build, head.build, sizeof head.build) != 0)
		return "the guard data that the program carries are those of another build";
	long at = sys_mmap(head.size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(at))
		return "there is no memory for the guard data that the program carries";
	if (!read_memory((void *)at, found->address + sizeof head, head.size_bytes) ||
	    heddle_check(0, (void *)at, head.size_bytes) != head.check) {
		sys_munmap((void *)at, head.size_bytes);
		return damaged;
	}
	sys_mprotect((uintptr_t)at, head.size_bytes, PROT_READ);
	data = (void *)at;
	data_bytes = head.size_bytes;
	return NULL;
}

bool baked_find(char **environment)
{
	struct found found;
	if (data)
		return true;
	const int result = environment ? find_note(environment, HEDDLE_NOTE_BAKED, &found) : 0;
	if (!result)
		return false;
	const char *fault = result < 0 ? damaged : take(environment, &found);
	if (!fault)
		return true;
	struct message message;
	message_begin(&message);
	message_string(&message, fault);
	message_string(&message, ": it runs unguarded");
	message_end(&message);
	return false;
}

const void *baked_data(size_t *size_bytes)
{
	*size_bytes = data_bytes;
	return data;
}
