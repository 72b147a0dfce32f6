/* live.c: see live.h. */
#include "rt/live.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <string.h>

#include "rt/entry.h"
#include "rt/sys.h"

#define WORD 8u

static long barrier(int command)
{
	return sys_call(SYS_membarrier, command, 0, 0, 0, 0, 0);
}

bool live_is_possible(void)
{
	return barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE) == 0;
}

static int protection_of(const struct object *object, uintptr_t at)
{
	for (unsigned i = 0; i < object->range_count; i++)
		if (at >= object->ranges[i].start && at < object->ranges[i].end)
			return object->ranges[i].protection;
	return -1;
}

/* The page stays executable meanwhile: other threads run in it. */
static int store(uint64_t *word, uint64_t bytes, int protection)
{
	uintptr_t page = (uintptr_t)word & -(uintptr_t)4096;
	int code = sys_mprotect(page, 4096, protection | PROT_WRITE);
	if (code)
		return code;
	__atomic_store_n(word, bytes, __ATOMIC_SEQ_CST);
	code = sys_mprotect(page, 4096, protection);
	long synced = barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE);
	return code ? code : (int)synced;
}

int live_switch(const struct object *object, const struct heddle_function *function, bool is_on)
{
	uint8_t *entry = (uint8_t *)(uintptr_t)object_at(&function->original);
	const uint8_t *clone = object_at(&function->clone);
	int protection = entry ? protection_of(object, (uintptr_t)entry) : -1;
	uint8_t jump[ENTRY_BYTES] = { ENTRY_JUMP };
	if (!clone || protection < 0)
		return -EINVAL;
	if (memcmp(entry, entry_endbr64, sizeof entry_endbr64) == 0)
		entry += sizeof entry_endbr64;
	long wide = clone - (entry + ENTRY_BYTES);
	int32_t distance = (int32_t)wide;
	memcpy(jump + 1, &distance, sizeof distance);
	const uint8_t *from = is_on ? entry_nop : jump, *to = is_on ? jump : entry_nop;
	if (distance == wide && memcmp(entry, to, ENTRY_BYTES) == 0)
		return 0;
	if (distance != wide || memcmp(entry, from, ENTRY_BYTES) != 0)
		return -EINVAL;
	if ((uintptr_t)entry % WORD + ENTRY_BYTES > WORD)
		return -ENOTSUP;
	uint64_t *word = (uint64_t *)((uintptr_t)entry & -(uintptr_t)WORD), bytes;
	memcpy(&bytes, word, sizeof bytes);
	memcpy((char *)&bytes + (uintptr_t)entry % WORD, to, ENTRY_BYTES);
	return store(word, bytes, protection);
}
