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

#define AREAS 64u
#define AREA_JUMP "\xff\x25\x02\x00\x00\x00" /* jmp *2(%rip) */
#define AREA_JUMP_BYTES 6u
#define AREA_HEAD_BYTES 16u
#define MAX_PROBE (sizeof(struct probe) + STUB_FAR_BYTES + STUB_JUMP_BYTES)

/* Written under the lock of registration. start: null: free. */
static struct area {
	uint8_t *start;
	size_t size_bytes;
	const char *clones, *clones_end; /* of the object */
} areas[AREAS];

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

/* Whether its object is gone, as the new one is at its place. */
static bool is_overlapped(const struct area *area, const struct object *object)
{
	return area->start && object->clones < area->clones_end && object->clones_end > area->clones;
}

/* The area of an object that was at the same place serves again if it is large enough; so a program that loads and unloads a library for
 * ever does not fill its addresses. */
static struct area *take_area(const struct object *object, size_t size_bytes)
{
	struct area *free_one = NULL;
	for (uint32_t i = 0; i < AREAS; i++) {
		struct area *area = &areas[i];
		if (is_overlapped(area, object)) {
			if (area->size_bytes >= size_bytes &&
			    stub_protect((char *)area->start, (char *)area->start + area->size_bytes, true) == 0)
				return area;
			sys_munmap(area->start, area->size_bytes);
			area->start = NULL;
		}
		if (!area->start && !free_one)
			free_one = area;
	}
	if (!free_one)
		return NULL;
	free_one->size_bytes = (size_bytes + 4095) & -(size_t)4096;
	free_one->start = near_take((uintptr_t)object->clones, (uintptr_t)object->clones_end, free_one->size_bytes);
	return free_one->start ? free_one : NULL;
}

static uint8_t *make_area(const struct object *object, const struct probe_mode *mode, size_t size_bytes)
{
	const void *entry = (const void *)mode->entry;
	struct area *area = take_area(object, size_bytes);
	if (!area)
		return NULL;
	area->clones = object->clones;
	area->clones_end = object->clones_end;
	stub_put(stub_put(area->start, AREA_JUMP, AREA_JUMP_BYTES) + 2, &entry, sizeof entry);
	return area->start;
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
