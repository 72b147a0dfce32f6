/*
 * vsyscall.c: see vsyscall.h. The addresses stand in the code as an immediate: of a move that extends its sign, or in full.
 */
#include "world/kernel/vsyscall.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rt/maps.h"
#include "rt/sys.h"
#include "rt/text.h"
#include "world/parts.h"
#include "world/world.h"

#define PAGE_START 0xffffffffff600000ul

/* Libraries that every program has and that contain no such code. */
static const char *const known[] = { "libc.so", "ld-linux", "libstdc++.so", "libm.so", "libgcc_s.so", "libpthread" };

static bool is_known(const char *path)
{
	const char *name = text_file_name(path);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (text_after(name, known[i]))
			return true;
	return false;
}

static bool is_of_system(const char *path)
{
	return text_after(path, "/lib") || text_after(path, "/usr/lib");
}

/* at: the third byte of four, which are the low half of an address. before, behind: how much can be read there. */
static bool is_entry(const unsigned char *at, size_t before, size_t behind)
{
	if (before < 5 || behind < 6 || at[-2] != 0 || (at[-1] & ~0x0c) || at[-1] == 0x0c)
		return false;
	bool is_full = at[2] == 0xff && at[3] == 0xff && at[4] == 0xff && at[5] == 0xff;
	bool is_move = (at[-5] == 0x48 || at[-5] == 0x49) && at[-4] == 0xc7 && (at[-3] & 0xf8) == 0xc0;
	return is_full || is_move;
}

static bool has_entry(const unsigned char *code, size_t size)
{
	for (size_t i = 0; i + 1 < size; i++)
		if (code[i] == 0x60 && code[i + 1] == 0xff && is_entry(code + i, i, size - i))
			return true;
	return false;
}

static void look_for_page(void *data, const struct maps_entry *entry)
{
	if (entry->start == PAGE_START)
		*(bool *)data = true;
}

static void look_at(void *data, const struct maps_entry *entry)
{
	(void)data;
	if (entry->path[0] != '/' || !(entry->protection & PROT_EXEC) || !(entry->protection & PROT_READ) ||
	    dispatch_is_own(entry->start) || is_known(entry->path))
		return;
	if (!has_entry((const unsigned char *)entry->start, entry->end - entry->start))
		return;
	/* A system library may contain it for others and never use it. */
	if (is_of_system(entry->path))
		report_limit("vsyscall calls (through fixed kernel addresses) cannot be observed and return the "
			     "real time; there is code for them in",
			     entry->path);
	else
		world_fail(HEDDLE_OUTCOME_REFUSED,
			   "vsyscall calls (through fixed kernel addresses) return the real time and cannot be "
			   "controlled; there is code for them in",
			   entry->path);
}

void vsyscall_check(void)
{
	bool is_present = false;
	if (maps_read(look_for_page, &is_present) == 0 && is_present)
		maps_read(look_at, NULL);
}
