/*
 * shortcut.c: see shortcut.h. An area near each object has a copy of the mode's entries, jumps to those for hot calls, and
 * then the shortcuts:
 *
 *	struct shortcut
 *	lea displacement(%base), %r11        or, for what has a fixed address, displacement(%rip) or movabs
 *	jmp entry
 *
 * A hot one jumps to an entry of ours that ends the countdown and continues at the mode's entry. That of a quiet access,
 * in a detailed run, first saves r11, and jumps to an entry of ours that records the access and leaves every register
 * as it was; in other runs there is no code for it.
 */
#include "world/shortcut.h"

#include <errno.h>
#include <string.h>

#include "rt/enter/near.h"
#include "rt/observe.h"
#include "rt/option.h"
#include "rt/stub.h"
#include "rt/sys.h"
#include "world/access.h"
#include "world/guarded.h"
#include "world/parts.h"

#define AREAS 4096u
#define PAGE 4096ul
#define HOT_BYTES 8u /* jmp *address, of 32 bits, and one byte to fill up */
#define HOT_OPCODE "\xff\x24\x25"
#define SAVE_BYTES 8u /* mov %r11, address, of 32 bits */
#define SAVE_OPCODE "\x4c\x89\x1c\x25"
#define MAX_SHORTCUT (sizeof(struct shortcut) + SAVE_BYTES + STUB_FAR_BYTES + STUB_JUMP_BYTES)
#define RETURN_OPCODE "\xc3"

/* Of an object that may be gone: then another one that comes to its place takes the area over. */
static struct area {
	uint8_t *start, *end;
	const char *clones, *clones_end;
	struct quiet *quiet;
	uint32_t quiet_count, quiet_room;
} areas[AREAS];
static uint32_t area_count;

/* The mode's, and what the hot entries go on to. */
static const struct shortcut_code *mode_code;
extern const char *shortcut_entries[SHORTCUT_ENTRIES] __attribute__((visibility("hidden")));
const char *shortcut_entries[SHORTCUT_ENTRIES];
extern void (*const shortcut_hot[SHORTCUT_ENTRIES])(void) __attribute__((visibility("hidden")));

/* The number of the event stays: horizon and countdown are made smaller by the same. */
_Static_assert(TALLY_HOT >= SHORTCUT_ENTRIES, "there is one for each");
_Static_assert(offsetof(struct shortcut, site) == 0 && sizeof(struct shortcut) == 12, "the entries know these");
__asm__(".pushsection .text\n"
	".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9\n"
	".balign 16\n"
	"shortcut_hot_\\number:\n"
	".cfi_startproc\n"
	"movq " TALLY_COUNTDOWN ", %r10\n"
	"subq %r10, " TALLY_HORIZON "\n"
	"movq $0, " TALLY_COUNTDOWN "\n"
	"jmp *shortcut_entries + 8 * \\number(%rip)\n"
	".cfi_endproc\n"
	".endr\n"
	".popsection\n"
	".pushsection .data.rel.ro.shortcut, \"aw\"\n"
	".balign 8\n"
	".hidden shortcut_hot\n"
	".globl shortcut_hot\n"
	"shortcut_hot:\n"
	".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9\n"
	".quad shortcut_hot_\\number\n"
	".endr\n"
	".popsection\n");

/* Calls of guarded sites are checked before the mode's entry counts them. Quiet ones end after the check. */
extern void (*const shortcut_guarded[TALLY_GUARDED])(void) __attribute__((visibility("hidden")));
static __attribute__((used)) void check_read(const volatile void *address, const struct heddle_site *site)
{
	guarded_read(address, site);
}

static __attribute__((used)) void check_write(const volatile void *address, const struct heddle_site *site)
{
	guarded_write(address, site);
}

static __attribute__((used)) void check_quiet_read(const volatile void *address, const struct heddle_site *site)
{
	guarded_quiet_read(address, site);
}

static __attribute__((used)) void check_quiet_write(const volatile void *address, const struct heddle_site *site)
{
	guarded_quiet_write(address, site);
}

__asm__(".pushsection .text\n" SHORTCUT_CALL ".macro shortcut_check number, function\n"
	".balign 16\n"
	"shortcut_guarded_\\number:\n"
	".cfi_startproc\n"
	"shortcut_save\n"
	"shortcut_enter \\function\n"
	".irp register, r11, r9, r8, rdi, rsi, rdx, rcx, rax\n"
	"popq %\\register\n"
	".cfi_adjust_cfa_offset -8\n"
	".endr\n"
	"jmp *shortcut_entries + 8 * \\number(%rip)\n"
	".cfi_endproc\n"
	".endm\n"
	".irp number, 0, 1, 2, 3, 4\n"
	"shortcut_check \\number, check_read\n"
	".endr\n"
	".irp number, 5, 6, 7, 8, 9\n"
	"shortcut_check \\number, check_write\n"
	".endr\n"
	".irp kind, read, write\n"
	".balign 16\n"
	"shortcut_guarded_\\kind:\n"
	".cfi_startproc\n"
	"shortcut_save\n"
	"shortcut_call check_quiet_\\kind\n"
	".cfi_endproc\n"
	".endr\n"
	".purgem shortcut_check\n" SHORTCUT_CALL_END ".popsection\n"
	".pushsection .data.rel.ro.shortcut, \"aw\"\n"
	".balign 8\n"
	".hidden shortcut_guarded\n"
	".globl shortcut_guarded\n"
	"shortcut_guarded:\n"
	".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9\n"
	".quad shortcut_guarded_\\number\n"
	".endr\n"
	".quad shortcut_guarded_read, shortcut_guarded_write\n"
	".popsection\n");

static void silence(const char *after);

static inline void touch(enum heddle_event_kind kind, const volatile void *address, const struct heddle_site *site,
			 const char *after)
{
	if (shortcut_is_quiet_reported())
		observe_quiet(address, site->size, site);
	else
		observe_touched(address, site->size, site);
	if (!access_touch(kind, address, site))
		silence(after);
}

static __attribute__((used)) void touch_read(const volatile void *address, const struct heddle_site *site,
					     const char *after)
{
	touch(HEDDLE_EVENT_READ, address, site, after);
}

static __attribute__((used)) void touch_write(const volatile void *address, const struct heddle_site *site,
					      const char *after)
{
	touch(HEDDLE_EVENT_WRITE, address, site, after);
}

extern void (*const shortcut_touches[TALLY_TOUCHES])(void) __attribute__((visibility("hidden")));
__asm__(".pushsection .text\n" SHORTCUT_CALL ".irp kind, read, write\n"
	".balign 16\n"
	"shortcut_touch_\\kind:\n"
	".cfi_startproc\n"
	"movq %r10, " TALLY_TOUCH_R10 "\n"
	"pushfq\n"
	".cfi_adjust_cfa_offset 8\n"
	"popq " TALLY_TOUCH_FLAGS "\n"
	".cfi_adjust_cfa_offset -8\n"
	"shortcut_save\n"
	"movq %rax, %rdx\n"
	"shortcut_enter touch_\\kind\n"
	".irp register, r11, r9, r8, rdi, rsi, rdx, rcx, rax\n"
	"popq %\\register\n"
	".cfi_adjust_cfa_offset -8\n"
	".endr\n"
	"movq " TALLY_TOUCH_R10 ", %r10\n"
	"movq " TALLY_TOUCH_R11 ", %r11\n"
	"pushq " TALLY_TOUCH_FLAGS "\n"
	".cfi_adjust_cfa_offset 8\n"
	"popfq\n"
	".cfi_adjust_cfa_offset -8\n"
	"ret\n"
	".cfi_endproc\n"
	".endr\n" SHORTCUT_CALL_END ".popsection\n"
	".pushsection .data.rel.ro.shortcut, \"aw\"\n"
	".balign 8\n"
	".hidden shortcut_touches\n"
	".globl shortcut_touches\n"
	"shortcut_touches:\n"
	".quad shortcut_touch_read, shortcut_touch_write\n"
	".popsection\n");

/* Of the area: the copy of an entry, the jump to the hot one, and the jumps of quiet ones. */
static uint8_t *entry_at(const struct area *area, unsigned number)
{
	return area->start + (mode_code->entries[number] - mode_code->start);
}

static uint8_t *hot_at(const struct area *area, unsigned number)
{
	return area->start + (mode_code->end - mode_code->start) + (size_t)number * HOT_BYTES;
}

static uint8_t *touch_at(const struct area *area, unsigned number)
{
	return hot_at(area, SHORTCUT_ENTRIES) + (size_t)number * HOT_BYTES;
}

static uint8_t *guarded_at(const struct area *area, unsigned number)
{
	return touch_at(area, TALLY_TOUCHES) + (size_t)number * HOT_BYTES;
}

static void put_far_jump(uint8_t *to, void (*const *target)(void))
{
	uint32_t address = (uint32_t)(uintptr_t)target;
	stub_put(stub_put(to, HOT_OPCODE, 3), &address, sizeof address);
}

/* Writes them. Returns where they end. */
static uint8_t *put_entries(const struct area *area)
{
	stub_put(area->start, mode_code->start, (size_t)(mode_code->end - mode_code->start));
	for (unsigned i = 0; i < SHORTCUT_ENTRIES; i++) {
		put_far_jump(hot_at(area, i), &TALLY->hot[i]);
		TALLY->hot[i] = shortcut_hot[i];
		shortcut_entries[i] = mode_code->entries[i];
	}
	for (unsigned i = 0; i < TALLY_TOUCHES; i++) {
		put_far_jump(touch_at(area, i), &TALLY->touches[i]);
		TALLY->touches[i] = shortcut_touches[i];
	}
	for (unsigned i = 0; i < TALLY_GUARDED; i++) {
		put_far_jump(guarded_at(area, i), &TALLY->guarded[i]);
		TALLY->guarded[i] = shortcut_guarded[i];
	}
	return guarded_at(area, TALLY_GUARDED);
}

/* Of quiet calls: where it returns to, and its shortcut. */
struct quiet {
	char *after;
	uint8_t *start;
};

static bool is_quiet_reported;

bool shortcut_is_quiet_reported(void)
{
	return is_quiet_reported;
}

static bool is_quiet_site(const struct heddle_site *site)
{
	return options_prove(site) && !guarded_has(site);
}

/* Writes the shortcut of the call; *code is where it starts. Returns its end, or null: something is too far. */
static uint8_t *make(const struct area *area, uint8_t *to, const struct heddle_call *call, const struct stub *stub,
		     uint32_t number, uint8_t **code)
{
	struct shortcut head = { object_at(&call->site), number };
	bool is_quiet = is_quiet_site(head.site), is_guarded = guarded_has(head.site);
	const bool is_write = stub->hook >= HEDDLE_HOOK_WRITE;
	uint32_t saved = (uint32_t)(uintptr_t)&TALLY->touch_r11;
	*code = stub_put(to, &head, sizeof head);
	to = is_quiet ? stub_put(stub_put(*code, SAVE_OPCODE, 4), &saved, sizeof saved) : *code;
	to = stub_put_address(to, stub->base, call);
	const uint8_t *entry = is_quiet ? touch_at(area, is_write)
			       : is_guarded
				       ? guarded_at(area, options_prove(head.site) ? TALLY_HOT + is_write : stub->hook)
				       : entry_at(area, stub->hook);
	return stub_put_distance(stub_put(to, STUB_JUMP_OPCODE, 1), entry);
}

/* Shortcuts of quiet calls that do nothing until the next event. */
#define MAX_SILENT 64u
static uint8_t *silent[MAX_SILENT];
static uint32_t silent_count;

static bool begin_with(uint8_t *code, const char *opcode)
{
	if (stub_protect((char *)code, (char *)code + 1, true))
		return false;
	*code = (uint8_t)*opcode;
	return !stub_protect((char *)code, (char *)code + 1, false);
}

static void silence(const char *after)
{
	uint8_t *code = (uint8_t *)(uintptr_t)stub_target(after);
	if (silent_count < MAX_SILENT && begin_with(code, RETURN_OPCODE))
		silent[silent_count++] = code;
}

void shortcut_end_silence(void)
{
	while (silent_count)
		begin_with(silent[--silent_count], SAVE_OPCODE);
}

static struct area *take_area(const struct object *object, size_t room)
{
	struct area *area = NULL;
	for (uint32_t i = 0; i < area_count && !area; i++) {
		size_t size = (size_t)(areas[i].end - areas[i].start);
		if (object->clones >= areas[i].clones_end || object->clones_end <= areas[i].clones)
			continue;
		if (size >= room && !sys_mprotect((uintptr_t)areas[i].start, size, PROT_READ | PROT_WRITE)) {
			area = &areas[i];
		} else {
			sys_munmap(areas[i].start, size);
			areas[i--] = areas[--area_count];
		}
	}
	if (!area) {
		if (area_count == AREAS)
			return NULL;
		area = &areas[area_count];
		room = (room + PAGE - 1) & -PAGE;
		area->start = near_take((uintptr_t)object->clones, (uintptr_t)object->clones_end, room);
		if (!area->start)
			return NULL;
		area->end = area->start + room;
		area_count++;
	}
	area->clones = object->clones;
	area->clones_end = object->clones_end;
	return area;
}

/* Whether it leads somewhere from the start on. */
static bool is_active(const struct heddle_site *site)
{
	return is_quiet_reported || (world.is_detailed && (site->flags & HEDDLE_SITE_QUIET));
}

/* Only detection can observe them. Where there is no room they stay unobserved. */
static void find_room_for_quiet(struct area *area, const struct object *object)
{
	uint32_t count = 0;
	for (const struct heddle_call *call = object->calls; observe_is_on() && call < object->calls_end; call++)
		count += is_quiet_site(object_at(&call->site));
	if (count <= area->quiet_room)
		return;
	area->quiet = world_pages(count * sizeof *area->quiet);
	area->quiet_room = area->quiet ? count : 0;
}

int shortcut_report_quiet(void)
{
	int code = 0;
	is_quiet_reported = true;
	for (struct area *area = areas; area < areas + area_count && !code; area++) {
		if (!area->quiet_count)
			continue;
		code = stub_protect(area->clones, area->clones_end, true);
		for (uint32_t i = 0; i < area->quiet_count && !code; i++) {
			uint8_t *call = (uint8_t *)area->quiet[i].after - STUB_CALL_BYTES;
			*call = STUB_CALL_OPCODE;
			stub_put_distance(call + 1, area->quiet[i].start);
		}
		int back = stub_protect(area->clones, area->clones_end, false);
		code = code ? code : back;
	}
	return code;
}

int shortcut_attach(const struct object *object, const struct shortcut_code *entries,
		    uint32_t (*number)(const struct heddle_site *site))
{
	size_t count = (size_t)(object->calls_end - object->calls);
	size_t table = (size_t)(entries->end - entries->start) +
		       (SHORTCUT_ENTRIES + TALLY_TOUCHES + TALLY_GUARDED) * (size_t)HOT_BYTES;
	if (!count)
		return 0;
	struct area *area = take_area(object, table + count * MAX_SHORTCUT);
	if (!area)
		return -ENOMEM;
	area->quiet_count = 0;
	find_room_for_quiet(area, object);
	mode_code = entries;
	int code = stub_protect(object->clones, object->clones_end, true);
	uint8_t *to = put_entries(area);
	for (const struct heddle_call *call = object->calls; !code && call < object->calls_end; call++) {
		char *after = (char *)(uintptr_t)object_at(&call->after);
		struct stub stub;
		uint8_t *start, *end;
		if (!stub_is_call(object, after) || !stub_read(object, stub_target(after), &stub))
			continue;
		const struct heddle_site *site = object_at(&call->site);
		if (is_quiet_site(site) && !is_active(site) && area->quiet_count == area->quiet_room) {
			stub_put((uint8_t *)after - STUB_CALL_BYTES, STUB_NOTHING, STUB_CALL_BYTES);
			continue;
		}
		end = make(area, to, call, &stub, number ? number(site) : 0, &start);
		if (!end || !stub_put_distance((uint8_t *)after - 4, start)) {
			code = -EOVERFLOW;
			break;
		}
		to = end;
		if (is_quiet_site(site) && !is_active(site)) {
			area->quiet[area->quiet_count++] = (struct quiet){ after, start };
			stub_put((uint8_t *)after - STUB_CALL_BYTES, STUB_NOTHING, STUB_CALL_BYTES);
		}
	}
	if (!code)
		code = stub_protect((char *)area->start, (char *)area->end, false);
	int back = stub_protect(object->clones, object->clones_end, false);
	return code ? code : back;
}

int shortcut_make_hot(const char *after)
{
	const uint8_t *start = stub_target(after);
	const struct area *area = areas;
	while (area < areas + area_count && !(start >= area->start && start < area->end))
		area++;
	if (area == areas + area_count)
		return -ENOENT;
	unsigned address_bytes = memcmp(start, STUB_FAR_OPCODE, 2) == 0 ? STUB_FAR_BYTES : start[2] == 0x9c ? 8 : 7;
	uint8_t *jump = (uint8_t *)(uintptr_t)start + address_bytes;
	const uint8_t *entry = jump + STUB_JUMP_BYTES + stub_distance(jump + 1);
	unsigned number = 0;
	while (number < SHORTCUT_ENTRIES && entry != entry_at(area, number))
		number++;
	if (number == SHORTCUT_ENTRIES) /* it is hot */
		return 0;
	int code = stub_protect((char *)jump, (char *)jump + STUB_JUMP_BYTES, true);
	if (code)
		return code;
	stub_put_distance(jump + 1, hot_at(area, number));
	return stub_protect((char *)jump, (char *)jump + STUB_JUMP_BYTES, false);
}
