/* stub.c: see stub.h. */
#include "rt/stub.h"

#include <string.h>

#include "rt/shortcut.h"
#include "rt/sys.h"

#define PAGE 4096ul
#define INDIRECT_BYTES 6u /* jmp *entry(%rip) */
#define INDIRECT_OPCODE "\xff\x25"

uint8_t *stub_put(uint8_t *to, const void *bytes, size_t size_bytes)
{
	memcpy(to, bytes, size_bytes);
	return to + size_bytes;
}

int32_t stub_distance(const uint8_t *from)
{
	int32_t distance;
	memcpy(&distance, from, sizeof distance);
	return distance;
}

uint8_t *stub_put_distance(uint8_t *to, const void *target)
{
	long wide = (const uint8_t *)target - (to + sizeof(int32_t));
	int32_t distance = (int32_t)wide;
	return distance == wide ? stub_put(to, &distance, sizeof distance) : NULL;
}

bool stub_read(const struct object *object, const uint8_t *at, struct stub *stub)
{
	if ((const char *)at < object->clones || (const char *)at + 15 > object->clones_end)
		return false;
	if (at[0] == 0x45 && at[1] == 0x31 && at[2] == 0xdb) /* xor %r11d, %r11d */
		stub->base = STUB_FIXED;
	else if ((at[0] & 0xfb) == 0x49 && at[1] == 0x89 && (at[2] & 0xc7) == 0xc3) /* mov %base, %r11 */
		stub->base = (unsigned)(at[0] & 4) << 1 | (at[2] >> 3 & 7u);
	else
		return false;
	/* push of the context, jmp *entry(%rip) */
	const uint8_t *jump = at + 3 + 6;
	uintptr_t entry = (uintptr_t)(jump + INDIRECT_BYTES) + (uintptr_t)(long)stub_distance(jump + 2);
	stub->hook = (unsigned)((entry - (uintptr_t)object->gate->entries) / sizeof(void *));
	return memcmp(jump, INDIRECT_OPCODE, 2) == 0 && entry >= (uintptr_t)object->gate->entries &&
	       stub->hook < SHORTCUT_ENTRIES;
}

const uint8_t *stub_target(const char *after)
{
	return (const uint8_t *)after + stub_distance((const uint8_t *)after - 4);
}

bool stub_is_call(const struct object *object, const char *after)
{
	return after && after - STUB_CALL_BYTES >= object->clones && after <= object->clones_end &&
	       (uint8_t)after[-(int)STUB_CALL_BYTES] == STUB_CALL_OPCODE;
}

uint8_t *stub_put_address(uint8_t *to, unsigned base, const struct heddle_call *call)
{
	if (base == STUB_FIXED) {
		const void *address = object_at(&call->displacement);
		uint8_t *end = stub_put_distance(stub_put(to, "\x4c\x8d\x1d", 3), address);
		return end ? end : stub_put(stub_put(to, STUB_FAR_OPCODE, 2), &address, sizeof address);
	}
	uint8_t code[] = { base & 8 ? 0x4d : 0x4c, 0x8d, (uint8_t)(0x98 | (base & 7)), 0x24 };
	to = stub_put(to, code, (base & 7) == 4 ? 4 : 3);
	return stub_put(to, &call->displacement, sizeof call->displacement);
}

int stub_protect(const char *start, const char *end, bool is_writable)
{
	uintptr_t first = (uintptr_t)start & -PAGE;
	size_t size = (((uintptr_t)end + PAGE - 1) & -PAGE) - first;
	int code = sys_mprotect(first, size, is_writable ? PROT_READ | PROT_WRITE | PROT_EXEC : PROT_READ | PROT_EXEC);
	if (code && is_writable)
		code = sys_mprotect(first, size, PROT_READ | PROT_WRITE);
	return code;
}
