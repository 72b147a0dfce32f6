/*
 * probe.c: see probe.h. The area of an object begins with a jump to the entry, which may be farther away than 2 GB; then the
 * probes:
 *
 *	struct probe
 *	lea displacement(%base), %r11        or, for what has a fixed address, displacement(%rip) or movabs
 *	jmp to the start of the area
 */
#include "parallel/probe.h"

#include <errno.h>
#include <string.h>

#include "rt/enter/near.h"
#include "rt/stub.h"
#include "rt/sys.h"

#define AREA_JUMP "\xff\x25\x02\x00\x00\x00" /* jmp *2(%rip) */
#define AREA_JUMP_BYTES 6u
#define AREA_HEAD_BYTES 16u
#define MAX_PROBE (sizeof(struct probe) + STUB_FAR_BYTES + STUB_JUMP_BYTES)

static const struct heddle_function *function_of(const struct heddle_site *site)
{
	return object_at(&site->function);
}

/* Leads the call to a probe at `to`. Returns the end of the probe; null: it is too far. */
static uint8_t *redirect(uint8_t *area, uint8_t *to, char *after, const struct heddle_call *call,
			 const struct probe *probe, const struct stub *stub)
{
	uint8_t *code = stub_put(to, probe, sizeof *probe);
	uint8_t *end = stub_put_distance(stub_put(stub_put_address(code, stub->base, call), STUB_JUMP_OPCODE, 1), area);
	return end && stub_put_distance((uint8_t *)after - 4, code) ? end : NULL;
}

static size_t count_chosen(const struct object *object, const struct probe_mode *mode)
{
	size_t count = 0;
	struct probe probe;
	for (const struct heddle_call *call = object->calls; call < object->calls_end; call++) {
		const struct heddle_site *site = object_at(&call->site);
		count += site && mode->choose(object, site, &probe);
	}
	return count;
}

static uint8_t *make_area(const struct object *object, const struct probe_mode *mode, size_t size_bytes)
{
	const void *entry = (const void *)mode->entry;
	uint8_t *area = near_take((uintptr_t)object->clones, (uintptr_t)object->clones_end, size_bytes);
	if (area)
		stub_put(stub_put(area, AREA_JUMP, AREA_JUMP_BYTES) + 2, &entry, sizeof entry);
	return area;
}

long probe_attach(const struct object *object, const struct probe_mode *mode)
{
	size_t size = AREA_HEAD_BYTES + count_chosen(object, mode) * MAX_PROBE;
	uint8_t *area = make_area(object, mode, size), *to = area + AREA_HEAD_BYTES;
	long count = 0;
	if (!area)
		return -ENOMEM;
	int code = stub_protect(object->clones, object->clones_end, true);
	for (const struct heddle_call *call = object->calls; !code && call < object->calls_end; call++) {
		char *after = (char *)(uintptr_t)object_at(&call->after);
		const struct heddle_site *site = object_at(&call->site);
		struct stub stub;
		struct probe probe;
		if (!site || !stub_is_call(object, after) || !stub_read(object, stub_target(after), &stub) ||
		    !function_of(site) || !mode->selects(object, function_of(site)))
			continue;
		if (!mode->choose(object, site, &probe)) {
			stub_put((uint8_t *)after - STUB_CALL_BYTES, STUB_NOTHING, STUB_CALL_BYTES);
			continue;
		}
		uint8_t *end = redirect(area, to, after, call, &probe, &stub);
		if (!end)
			code = -EOVERFLOW;
		to = end;
		count++;
	}
	if (!code)
		code = stub_protect((char *)area, (char *)area + size, false);
	int back = stub_protect(object->clones, object->clones_end, false);
	return code ? code : back ? back : count;
}
