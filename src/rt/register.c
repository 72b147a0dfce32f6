/*
 * register.c: where woven objects enter the runtime, and where the mode is started that rt/choose.c picks, with an observer that it may use. Everything
 * starts lazily: another library's constructor may register an object before ours runs.
 *
 * Invariants:
 *  1. Without HEDDLE in the environment nothing happens, now or later.
 *     Assured by tests/unit/runtime.t.
 *  2. An object's gate is open before its first function is switched.
 */
#include <string.h>

#include "rt/bug.h"
#include "rt/choose.h"
#include "rt/debug.h"
#include "rt/enter/entrance.h"
#include "rt/gate.h"
#include "rt/guardian.h"
#include "rt/maps.h"
#include "rt/message.h"
#include "rt/mode.h"
#include "rt/observe.h"
#include "rt/option.h"
#include "rt/patch.h"
#include "rt/sys.h"

/* Called by the first constructor of every woven object. Returns 0, also when the object is ignored. */
int __heddle_register(const struct heddle_object *header) __attribute__((visibility("default")));

static const struct mode *mode; /* null when dormant */
static bool is_started;         /* written under the lock; read before it, hence atomic */

/*
 * Guards all state of registration; nests in the dynamic linker's lock and in nothing else. Holds the process and
 * thread that has it: a thread that comes again (from a signal handler) is refused, and a child forked while another
 * thread had it takes it over.
 */
static uint64_t lock;

static bool lock_take(void)
{
	uint64_t process = (uint64_t)sys_pid() << 32, self = process | sys_tid(), seen = 0;
	/* Acquire: partner of the release in lock_give. */
	while (!__atomic_compare_exchange_n(&lock, &seen, self, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		if (seen == self)
			return false;
		if (seen && (seen & ~0xffffffffull) == process) {
			sys_yield();
			seen = 0;
		}
	}
	return true;
}

static void lock_give(void)
{
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE); /* partner of the acquire in lock_take */
}

static void start(void)
{
	const struct mode *chosen = choose_mode();
	if (choose_name() && !chosen)
		rt_off(RT_UNKNOWN_MODE, choose_name(), 0);
	if (chosen) {
		if (choose_options())
			options_parse(choose_options());
		observe_offer(&observer_detect, &listener_histories);
		guardian_offer(&guardian_parallel);
		debug_stop(HEDDLE_DEBUG_CODE);
		entrance_open(chosen);
		if (!rt_is_off() && (!chosen->start || chosen->start() == 0))
			mode = chosen;
		debug_stop(HEDDLE_DEBUG_CODE_DONE);
	}
	/* Release: partner of the acquire in __heddle_register, which reads mode after it. */
	__atomic_store_n(&is_started, true, __ATOMIC_RELEASE);
}

__attribute__((constructor)) static void start_first(void)
{
	if (!lock_take())
		return;
	if (!is_started)
		start();
	lock_give();
}

static void ignore(const struct object *object, const char *reason)
{
	struct message message;
	message_begin(&message);
	message_string(&message, object->path[0] ? object->path : "an object");
	message_string(&message, ": ");
	message_string(&message, reason);
	message_string(&message, "; it runs unobserved");
	message_end(&message);
}

static bool is_whole(const struct heddle_object *header)
{
	if (heddle_check(0, header, offsetof(struct heddle_object, root_check)) != header->root_check)
		return false;
	const heddle_rel *const bounds[][2] = { { &header->functions, &header->functions_end },
						{ &header->sites, &header->sites_end },
						{ &header->inlines, &header->inlines_end },
						{ &header->calls, &header->calls_end } };
	uint64_t check = 0;
	for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
		const char *start = object_at(bounds[i][0]), *end = object_at(bounds[i][1]);
		check = heddle_check(check, start, start < end ? (size_t)(end - start) : 0);
	}
	return check == header->check;
}

/* Turns distances into pointers. The object is our own program's, mapped by the loader, so what is checked is that it
 * speaks our version and is whole, not that it is sane. */
static bool read_header(struct object *object, const struct heddle_object *header)
{
	object->header = header;
	if (memcmp(header->magic, HEDDLE_MAGIC, sizeof header->magic) != 0) {
		ignore(object, "not a Heddle table");
		return false;
	}
	if (header->version != HEDDLE_ABI_VERSION || header->size_bytes < sizeof *header) {
		struct message message;
		message_begin(&message);
		message_string(&message, object->path);
		message_string(&message, ": woven by another version of Heddle (tables of version ");
		message_number(&message, header->version);
		message_string(&message, ", this runtime expects version ");
		message_number(&message, HEDDLE_ABI_VERSION);
		message_string(&message, "): rebuild it with this heddle-cc; it runs unobserved");
		message_end(&message);
		return false;
	}
	object->build = object_at(&header->build);
	object->functions = object_at(&header->functions);
	object->functions_end = object_at(&header->functions_end);
	object->sites = object_at(&header->sites);
	object->sites_end = object_at(&header->sites_end);
	object->calls = object_at(&header->calls);
	object->calls_end = object_at(&header->calls_end);
	object->clones = object_at(&header->clones);
	object->clones_end = object_at(&header->clones_end);
	object->gate = (struct heddle_gate *)(uintptr_t)object_at(&header->gate);
	if (!object->build || !object->gate || object->functions_end < object->functions ||
	    object->sites_end < object->sites || object->calls_end < object->calls ||
	    object->clones_end < object->clones || !is_whole(header)) {
		if (mode->refused)
			mode->refused(object);
		ignore(object, "its tables are damaged");
		return false;
	}
	return true;
}

/* Looks for the mapping of the header, which names the file. */
static void find_path(void *data, const struct maps_entry *entry)
{
	struct object *object = data;
	uintptr_t at = (uintptr_t)object->header;
	if (at < entry->start || at >= entry->end)
		return;
	for (size_t i = 0; entry->path[i] && i < sizeof object->path - 1; i++)
		object->path[i] = entry->path[i];
}

/* Collects the executable mappings between the lowest and the highest entry. */
struct text_search {
	struct object *object;
	uintptr_t low, high;
};

static void find_text(void *data, const struct maps_entry *entry)
{
	struct text_search *search = data;
	struct object *object = search->object;
	if (entry->end <= search->low || entry->start > search->high || !(entry->protection & PROT_EXEC) ||
	    object->range_count == OBJECT_RANGES)
		return;
	object->ranges[object->range_count++] = (struct object_range){ entry->start, entry->end, entry->protection };
}

static int find_mappings(struct object *object)
{
	struct text_search search = { object, UINTPTR_MAX, 0 };
	for (const struct heddle_function *f = object->functions; f < object->functions_end; f++) {
		uintptr_t at = (uintptr_t)object_at(&f->original);
		if (at && at < search.low)
			search.low = at;
		if (at > search.high)
			search.high = at;
	}
	return maps_read(find_text, &search);
}

static void say_result(const struct object *object, const struct patch_result *result)
{
	struct message message;
	message_begin(&message);
	message_string(&message, object->path);
	message_string(&message, ": ");
	message_number(&message, result->switched_count);
	message_string(&message, result->switched_count == 1 ? " function switched, " : " functions switched, ");
	message_number(&message, result->folded_count);
	message_string(&message, " more share their code, ");
	message_number(&message, result->skipped_count);
	message_string(&message, " skipped because their entry was modified after heddle-cc");
	message_end(&message);
}

static void register_object(const struct heddle_object *header)
{
	struct object object = { .header = header };
	struct patch_result result;
	int code = maps_read(find_path, &object);
	if (code == 0 && !read_header(&object, header))
		return;
	if (code == 0)
		code = find_mappings(&object);
	if (code < 0) {
		rt_off(RT_NO_MAPS, NULL, code);
		return;
	}
	struct heddle_hooks hooks = { 0 };
	if (!patch_is_allowed()) {
		rt_off(RT_TEXT_NOT_WRITABLE, object.path, -13 /* EACCES */);
		return;
	}
	if (mode->attach && mode->attach(&object, &hooks) < 0) {
		ignore(&object, "no memory left to observe it");
		return;
	}
	code = gate_open(&object, &hooks);
	if (code < 0) {
		rt_off(RT_NO_MEMORY, object.path, code);
		return;
	}
	if (!object.gate->context || !object.gate->entries[0]) {
		RT_BUG("functions are switched before their gate is open");
		return;
	}
	if (patch_object(&object, mode->selects, &result) < 0)
		return;
	if (mode->attached)
		mode->attached(&object, &result);
	if (options.is_verbose)
		say_result(&object, &result);
}

int __heddle_register(const struct heddle_object *header)
{
	/* Acquire: partner of the release in start. */
	if (__atomic_load_n(&is_started, __ATOMIC_ACQUIRE) && !mode)
		return 0;
	if (!header || !lock_take())
		return 0;
	if (!is_started)
		start();
	if (mode && !rt_is_off()) {
		debug_stop(HEDDLE_DEBUG_CODE);
		register_object(header);
		debug_stop(HEDDLE_DEBUG_CODE_DONE);
	}
	lock_give();
	return 0;
}
