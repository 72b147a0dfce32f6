/*
 * patch.c: see patch.h. The entry and raw clones are in patch_entry.c.
 *
 * A block of memory near each library holds its trampolines and, on pages behind them, what is needed to translate
 * addresses. A trampoline is:
 *
 *	instructions of the run before the system call
 *	lea record(%rip), %rcx
 *	jmp *entry(%rip)
 *   record:
 *	address in the library behind the system call
 *	syscall                                        for when no mode serves
 *	instructions of the run behind the system call
 *	jmp to the library behind the run
 *
 * rcx and r11 are lost in a system call, so no other register and no memory is needed to get to the entry.
 *
 * Invariants:
 *  1. Everything that the block says is checked before the first byte of a library is changed.
 *     Assured by tests/unit/patches.t.
 *  2. Nothing changes after patch_system_calls: everything else here only reads, in any thread and in handlers.
 *     Assured by tests/unit/patches.t.
 *  3. Where the trampolines are depends on the mappings only.
 *     Assured by tests/unit/patches.t.
 */
#include "rt/enter/patch.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "heddle/abi.h"
#include "rt/bug.h"
#include "rt/enter/near.h"
#include "rt/enter/patch_entry.h"
#include "rt/maps.h"
#include "rt/sys.h"

#define PAGE 4096ul
#define OBJECTS_MAX 16u
#define RANGES_MAX 8u
#define SEGMENTS_MAX 64u
#define COUNT_MAX (1u << 20)
#define BLOCK_MAX (1u << 28)
#define ENTRY_BYTES 16u     /* the pointer to the entry, at the start of each block */
#define LEA_BYTES 7u        /* lea record(%rip), %rcx */
#define JUMP_ENTRY_BYTES 6u /* jmp *entry(%rip) */
#define JUMP_BYTES 5u
#define SYSCALL_BYTES 2u
#define TRAMPOLINE_BYTES                                                                                               \
	((LEA_BYTES + JUMP_ENTRY_BYTES + sizeof(struct patch_record) + JUMP_BYTES +                                    \
	  sizeof((struct heddle_patch *)0)->bytes + 15) &                                                              \
	 -16ul)

/* A run that was replaced. Sorted by both: trampolines have one size. */
struct moved {
	uint32_t start; /* from the object's first address */
	uint8_t size, call;
};

struct place {
	uintptr_t start, end;  /* of the object's mappings */
	uintptr_t trampolines; /* the first one */
	const struct moved *moved;
	uint32_t count;
};

static struct place places[OBJECTS_MAX];
static uint32_t place_count;

/* An object of the block, as it is mapped. */
struct loaded {
	const char *path;
	uintptr_t start, end;
	uintptr_t bias; /* what to add to addresses as in the program headers */
	uint32_t range_count;
	struct {
		uintptr_t start, end;
		int protection;
	} ranges[RANGES_MAX]; /* the executable ones */
};

static uintptr_t page_up(uintptr_t number)
{
	return (number + PAGE - 1) & -PAGE;
}

static void note_mapping(void *data, const struct maps_entry *entry)
{
	struct loaded *loaded = data;
	if (!*entry->path || strcmp(entry->path, loaded->path) != 0)
		return;
	/* A second copy of the library, in a namespace of its own, starts with another mapping that is far away. */
	if (loaded->end ? entry->start - loaded->start > (1ul << 30) : !(entry->protection & PROT_READ))
		return;
	if (!loaded->start)
		loaded->start = entry->start;
	loaded->end = entry->end;
	if ((entry->protection & (PROT_READ | PROT_EXEC)) != (PROT_READ | PROT_EXEC) ||
	    loaded->range_count == RANGES_MAX)
		return;
	loaded->ranges[loaded->range_count].start = entry->start;
	loaded->ranges[loaded->range_count].end = entry->end;
	loaded->ranges[loaded->range_count].protection = entry->protection;
	loaded->range_count++;
}

/* The first mapping of a library has its ELF header: the address that its first segment was made for gives the bias. */
static int find_bias(struct loaded *loaded)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)loaded->start;
	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum > SEGMENTS_MAX ||
	    header->e_phoff > PAGE - sizeof(Elf64_Phdr) * SEGMENTS_MAX)
		return -EBADMSG;
	const Elf64_Phdr *segments = (const Elf64_Phdr *)(loaded->start + header->e_phoff);
	for (unsigned i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == PT_LOAD) {
			if (segments[i].p_offset >= PAGE)
				return -EBADMSG;
			loaded->bias = loaded->start - (segments[i].p_vaddr & -PAGE);
			return 0;
		}
	return -EBADMSG;
}

/* Also says whether the patches are in order and apart, which everything else relies on. */
static bool is_in_code(const struct loaded *loaded, const struct heddle_patch *patches, uint32_t count)
{
	uintptr_t last = loaded->start;
	for (uint32_t i = 0; i < count; i++) {
		uintptr_t at = loaded->bias + patches[i].address;
		uint32_t range = 0;
		while (range < loaded->range_count &&
		       !(at >= loaded->ranges[range].start && at < loaded->ranges[range].end))
			range++;
		if (range == loaded->range_count || loaded->ranges[range].end - at < patches[i].size || at < last ||
		    at - loaded->start > UINT32_MAX || memcmp((const void *)at, patches[i].bytes, patches[i].size) != 0)
			return false;
		last = at + patches[i].size;
	}
	return true;
}

static int protect(const struct loaded *loaded, bool is_writable)
{
	for (uint32_t i = 0; i < loaded->range_count; i++) {
		uintptr_t start = loaded->ranges[i].start;
		size_t size = loaded->ranges[i].end - start;
		int normal = loaded->ranges[i].protection;
		int code = sys_mprotect(start, size, is_writable ? normal | PROT_WRITE : normal);
		/* Where a policy refuses both at once, writable alone will do: this code is elsewhere. */
		if (code && is_writable)
			code = sys_mprotect(start, size, PROT_READ | PROT_WRITE);
		if (code) {
			if (is_writable)
				protect(loaded, false);
			return code;
		}
	}
	return 0;
}

static uint8_t *put(uint8_t *to, const void *bytes, size_t size_bytes)
{
	memcpy(to, bytes, size_bytes);
	return to + size_bytes;
}

static uint8_t *put_distance(uint8_t *to, const void *target)
{
	int32_t distance = (int32_t)((const uint8_t *)target - (to + sizeof distance));
	if (to + sizeof distance + distance != (const uint8_t *)target)
		RT_BUG("a trampoline is too far from its library");
	return put(to, &distance, sizeof distance);
}

static void make_trampoline(uint8_t *at, const void *entry, const struct heddle_patch *patch, uint8_t *library)
{
	uint32_t behind = patch->call + SYSCALL_BYTES;
	const uint8_t *start = at;
	at = put(at, patch->bytes, patch->call);
	uint8_t *record = at + LEA_BYTES + JUMP_ENTRY_BYTES;
	at = put_distance(put(at, "\x48\x8d\x0d", 3), record);
	at = put_distance(put(at, "\xff\x25", 2), entry);
	uintptr_t rip = (uintptr_t)library + behind;
	at = put(at, &rip, sizeof rip);
	at = put(at, "\x0f\x05", SYSCALL_BYTES);
	at = put(at, patch->bytes + behind, patch->size - behind);
	at = put_distance(put(at, "\xe9", 1), library + patch->size);
	if (at > start + TRAMPOLINE_BYTES)
		RT_BUG("a trampoline is longer than its room");
}

static void replace(uint8_t *library, const struct heddle_patch *patch, const uint8_t *trampoline)
{
	put_distance(put(library, "\xe9", 1), trampoline);
	for (uint32_t i = JUMP_BYTES; i < patch->size; i++)
		library[i] = 0xcc;
}

static int patch_object_calls(struct loaded *loaded, const struct heddle_patch *patches, uint32_t count)
{
	size_t code_bytes = page_up(ENTRY_BYTES + count * TRAMPOLINE_BYTES);
	size_t table_bytes = page_up(count * sizeof(struct moved));
	uint8_t *block = near_take(loaded->start, loaded->end, code_bytes + table_bytes);
	if (!block)
		return -ENOMEM;
	void (*entry)(void) = patch_entry;
	struct moved *moved = (struct moved *)(block + code_bytes);
	uint8_t *trampoline = block + ENTRY_BYTES;
	memset(block, 0xcc, code_bytes);
	memcpy(block, &entry, sizeof entry);
	for (uint32_t i = 0; i < count; i++, trampoline += TRAMPOLINE_BYTES) {
		uintptr_t library = loaded->bias + patches[i].address;
		make_trampoline(trampoline, block, &patches[i], (uint8_t *)library);
		moved[i] = (struct moved){ (uint32_t)(library - loaded->start), patches[i].size, patches[i].call };
	}
	int code = sys_mprotect((uintptr_t)block, code_bytes, PROT_READ | PROT_EXEC);
	if (code == 0)
		code = sys_mprotect((uintptr_t)moved, table_bytes, PROT_READ);
	if (code == 0)
		code = protect(loaded, true);
	if (code) {
		sys_munmap(block, code_bytes + table_bytes);
		return code;
	}
	trampoline = block + ENTRY_BYTES;
	for (uint32_t i = 0; i < count; i++, trampoline += TRAMPOLINE_BYTES)
		replace((uint8_t *)(loaded->bias + patches[i].address), &patches[i], trampoline);
	protect(loaded, false);
	places[place_count++] =
		(struct place){ loaded->start, loaded->end, (uintptr_t)block + ENTRY_BYTES, moved, count };
	return (int)count;
}

/* Every offset, size and string of the block. */
static bool is_sound(const struct heddle_patches *block, uint64_t size)
{
	if (size < sizeof *block || memcmp(block->magic, HEDDLE_PATCHES_MAGIC, sizeof block->magic) != 0 ||
	    block->version != HEDDLE_ABI_VERSION || block->size_bytes != size || block->object_count > OBJECTS_MAX ||
	    size - sizeof *block < block->object_count * sizeof(struct heddle_patch_object))
		return false;
	const char *bytes = (const char *)block;
	const struct heddle_patch_object *objects = (const struct heddle_patch_object *)(block + 1);
	for (uint32_t i = 0; i < block->object_count; i++) {
		const struct heddle_patch_object *object = &objects[i];
		if (object->count > COUNT_MAX || object->first % _Alignof(struct heddle_patch) ||
		    object->first > size || (size - object->first) / sizeof(struct heddle_patch) < object->count ||
		    object->path >= size)
			return false;
		uint64_t end = object->path;
		while (end < size && bytes[end])
			end++;
		if (end == size)
			return false;
		const struct heddle_patch *patches = (const struct heddle_patch *)(bytes + object->first);
		for (uint32_t patch = 0; patch < object->count; patch++) {
			uint32_t call = patches[patch].call, run = patches[patch].size;
			if (run < JUMP_BYTES || run > sizeof patches->bytes || call + SYSCALL_BYTES > run ||
			    patches[patch].bytes[call] != 0x0f || patches[patch].bytes[call + 1] != 0x05)
				return false;
		}
	}
	return true;
}

static int patch_block(const struct heddle_patches *block)
{
	const struct heddle_patch_object *objects = (const struct heddle_patch_object *)(block + 1);
	int total = 0;
	for (uint32_t i = 0; i < block->object_count && place_count < OBJECTS_MAX; i++) {
		const char *bytes = (const char *)block;
		const struct heddle_patch *patches = (const struct heddle_patch *)(bytes + objects[i].first);
		struct loaded loaded = { .path = bytes + objects[i].path };
		int code = maps_read(note_mapping, &loaded);
		if (code == 0 && objects[i].count && loaded.range_count && find_bias(&loaded) == 0 &&
		    is_in_code(&loaded, patches, objects[i].count))
			code = patch_object_calls(&loaded, patches, objects[i].count);
		if (code < 0)
			return total ? total : code;
		total += code;
	}
	return total;
}

int patch_system_calls(int fd)
{
	int64_t size = sys_file_size(fd);
	if (size == -EBADF)
		return 0;
	if (size < 0)
		return (int)size;
	if (size < (int64_t)sizeof(struct heddle_patches) || size > (int64_t)BLOCK_MAX)
		return -EBADMSG;
	long at = sys_mmap((size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (sys_failed(at))
		return (int)at;
	const struct heddle_patches *block = (const struct heddle_patches *)at;
	int result = is_sound(block, (uint64_t)size) ? patch_block(block) : -EBADMSG;
	sys_munmap((void *)at, (size_t)size);
	return result;
}

/* Behind the record: the system call instruction of the trampoline. */
static uint32_t own_call(const struct moved *moved)
{
	return moved->call + LEA_BYTES + JUMP_ENTRY_BYTES + (uint32_t)offsetof(struct patch_record, call);
}

uintptr_t patch_resume_address(uintptr_t rip)
{
	for (uint32_t i = 0; i < place_count; i++) {
		const struct place *place = &places[i];
		if (rip < place->start || rip >= place->end)
			continue;
		uint32_t low = 0, high = place->count; /* the last run that begins before rip is low - 1 */
		while (low < high) {
			uint32_t middle = (low + high) / 2;
			if (place->start + place->moved[middle].start < rip)
				low = middle + 1;
			else
				high = middle;
		}
		if (low == 0)
			return rip;
		const struct moved *moved = &place->moved[low - 1];
		uintptr_t offset = rip - (place->start + moved->start);
		if (offset >= moved->size)
			return rip;
		uintptr_t trampoline = place->trampolines + (low - 1) * TRAMPOLINE_BYTES;
		return offset <= moved->call ? trampoline + offset
					     : trampoline + own_call(moved) + (offset - moved->call);
	}
	return rip;
}

uintptr_t patch_original(uintptr_t code)
{
	for (uint32_t i = 0; i < place_count; i++) {
		const struct place *place = &places[i];
		if (code < place->trampolines || code >= place->trampolines + place->count * TRAMPOLINE_BYTES)
			continue;
		const struct moved *moved = &place->moved[(code - place->trampolines) / TRAMPOLINE_BYTES];
		uintptr_t offset = (code - place->trampolines) % TRAMPOLINE_BYTES;
		uintptr_t start = place->start + moved->start;
		if (offset < moved->call)
			return start + offset;
		if (offset <= own_call(moved))
			return start + moved->call;
		offset = moved->call + (offset - own_call(moved));
		return start + (offset < moved->size ? offset : moved->size);
	}
	return code;
}
