/*
 * control.c: mode control: the beginning of the world, and the fork server.
 *
 * Everything before main already runs under control, but no thread is preempted; the strategy begins with main. So
 * what happens before main is the same for all seeds, and a server can do it once.
 */
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include "rt/enter/dispatch.h"
#include "rt/enter/patch.h"
#include "rt/guardian.h"
#include "rt/message.h"
#include "rt/mode.h"
#include "rt/observe.h"
#include "rt/option.h"
#include "rt/sys.h"
#include "rt/text.h"
#include "world/access.h"
#include "world/fork.h"
#include "world/kernel/clock.h"
#include "world/kernel/vsyscall.h"
#include "world/log.h"
#include "world/memory/allocator.h"
#include "world/memory/heap.h"
#include "world/memory/malloc.h"
#include "world/observed.h"
#include "world/parts.h"
#include "world/schedule/hot.h"
#include "world/shortcut.h"
#include "world/signals/signal.h"
#include "world/switch.h"
#include "world/sync/sync.h"
#include "world/sync/without.h"

extern void *__libc_stack_end;
extern int *__errno_location(void);

#define FIXED_CANARY 0x5ca1ab1e0ddba100ul
#define FIXED_GUARD 0x7a11ed5ca1ab1e55ul

/* What the kernel put on the stack for the program. */
static struct {
	char **environment;
	uintptr_t vdso, loader;
	uint64_t *random; /* 16 bytes */
} given;

static void read_stack(void)
{
	long *at = __libc_stack_end;
	given.environment = (char **)(at + 1 + at[0] + 1);
	char **end = given.environment;
	while (*end)
		end++;
	for (const ElfW(auxv_t) *entry = (void *)(end + 1); entry->a_type != AT_NULL; entry++) {
		if (entry->a_type == AT_SYSINFO_EHDR)
			given.vdso = entry->a_un.a_val;
		if (entry->a_type == AT_BASE)
			given.loader = entry->a_un.a_val;
		if (entry->a_type == AT_RANDOM)
			given.random = (uint64_t *)entry->a_un.a_val;
	}
}

/* Takes Heddle's own variables out of the environment, and puts back what they stood in for. */
static void clean_environment(void)
{
	static const char *const kept[] = { "LD_PRELOAD=", "LD_BIND_NOW=", "GLIBC_TUNABLES=", "UBSAN_OPTIONS=" };
	char **to = given.environment;
	for (char **from = given.environment; *from; from++) {
		const char *restored = text_after(*from, "HEDDLE_KEEP_");
		bool is_dropped = !restored && text_after(*from, "HEDDLE");
		for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
			is_dropped |= text_after(*from, kept[i]) != NULL;
		if (!is_dropped)
			*to++ = restored ? (char *)restored : *from;
	}
	*to = NULL;
}

/* The canary and the guard of pointers are random numbers that the loader took from the kernel's 16 bytes: the program
 * may show them in addresses and hashes. No function that is active here has a canary on its stack. */
static void pin_random(void)
{
	__asm__ volatile("movq %0, %%fs:0x28" : : "r"(FIXED_CANARY));
	__asm__ volatile("movq %0, %%fs:0x30" : : "r"(FIXED_GUARD));
	if (given.random) {
		given.random[0] = FIXED_CANARY;
		given.random[1] = FIXED_GUARD;
	}
}

static int take_channel(void)
{
	long at = sys_call(SYS_mmap, (long)PLACE_WORLD, sizeof(struct heddle_channel), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_FIXED_NOREPLACE, HEDDLE_FD_CHANNEL, 0);
	if (sys_failed(at))
		return (int)at;
	struct heddle_channel *channel = (struct heddle_channel *)at;
	if (memcmp(channel->magic, HEDDLE_CHANNEL_MAGIC, sizeof channel->magic) != 0 ||
	    channel->version != HEDDLE_ABI_VERSION || channel->size_bytes != sizeof *channel)
		return -EBADMSG;
	world.channel = channel;
	report_start(channel);
	return 0;
}

static void read_request(void)
{
	uint32_t flags = world.channel->flags;
	world.is_replaying = flags & HEDDLE_CONTROL_REPLAY;
	world.is_copying = world.is_replaying && flags & HEDDLE_CONTROL_RECORD;
	world.is_recording = !world.is_replaying && flags & HEDDLE_CONTROL_RECORD;
	world.is_detailed = flags & HEDDLE_CONTROL_DETAIL;
}

static int control_start(void)
{
	int code = take_channel();
	rt_bug_ends(world_bug);
	if (code < 0) {
		rt_off(RT_NO_CHANNEL, NULL, code);
		return -1;
	}
	if ((code = tally_start()) < 0) {
		rt_off(RT_NO_MEMORY, "at 0x7fff0000", code);
		return -1;
	}
	debug_start();
	read_stack();
	clean_environment();
	read_request();
	slots_take(world.channel->flags & HEDDLE_CONTROL_DETECT);
	world.threads = world_pages((THREADS_MAX + 1ul) * sizeof *world.threads);
	world.by_index = world_pages((THREADS_MAX + 1ul) * sizeof *world.by_index);
	world.runnable = world_pages((THREADS_MAX + 1ul) * sizeof *world.runnable);
	world.live = world_pages((THREADS_MAX + 1ul) * sizeof *world.live);
	if (!world.threads || !world.by_index || !world.runnable || !world.live || switch_start() < 0 ||
	    heap_start() < 0) {
		rt_off(RT_NO_MEMORY, NULL, -ENOMEM);
		return -1;
	}
	thread_start_first();
	sys_call(SYS_prctl, 16 /* PR_GET_NAME */, (long)world.program_name, 0, 0, 0, 0);
	memcpy(world.current->name, world.program_name, NAME_ROOM);
	outside_start();
	pin_random();
	clock_take_vdso(given.vdso);
	if (signal_start() < 0) {
		rt_off(RT_NO_DISPATCH, NULL, 0);
		return -1;
	}
	watchdog_start();
	if (dispatch_start(given.loader, &watchdog_others) < 0) {
		rt_off(RT_NO_DISPATCH, NULL, 0);
		return -1;
	}
	world.is_patched = patch_system_calls(HEDDLE_FD_PATCHES) > 0;
	if (world.is_replaying)
		log_open();
	world.next_deadline_ns = NO_DEADLINE;
	if (world.channel->flags & HEDDLE_CONTROL_DETECT && (code = observed_start()) < 0) {
		rt_off(RT_NO_MEMORY, NULL, code);
		return -1;
	}
	if ((code = guardian_start()) < 0) {
		rt_off(RT_GUARD_FILE, options.guard_path, code);
		return -1;
	}
	if (observe_is_on())
		allocator_report();
	world_slice(0);
	world_update_channel();
	world.channel->is_started = 1;
	clock_forbid_counter();
	world_turn(true);
	vsyscall_check();
	return 0;
}

static int control_attach(const struct object *object, struct heddle_hooks *hooks)
{
	if (guardian && guardian->attach(object) < 0)
		return -1;
	if (observe_is_on())
		return observed_attach(object, hooks) ? -1 : 0;
	access_hooks(hooks);
	return shortcut_attach(object, access_entries(), NULL) ? -1 : 0;
}

static void control_refused(const struct object *object)
{
	world_fail(HEDDLE_OUTCOME_REFUSED, "the tables of a woven file are damaged; rebuild it:", object->path);
}

static void control_attached(const struct object *object, const struct patch_result *result)
{
	if (result->switched_count)
		world.channel->woven_count++;
	hot_attach(object);
	without_attach(object);
}

const struct mode mode_control = {
	.name = "control",
	.start = control_start,
	.attach = control_attach,
	.refused = control_refused,
	.attached = control_attached,
	.slot = slots_function,
	.before = sync_before,
	.after = sync_after,
	.announce = sync_announce,
	.finish = sync_finish,
	.syscall = world_syscall,
	.fault = signal_fault,
};

int *world_errno(void)
{
	return __errno_location();
}

void world_bad_free(void *block, enum heap_fault fault, bool is_resize, uintptr_t code)
{
	if (!world.is_on)
		return;
	observe_bad_free(block, is_resize, code);
	world.current->code = code;
	world.current->object = block;
	report_note(fault == HEAP_DOUBLE_FREE ? "free of a block that was already freed"
					      : "free of a pointer that was never allocated",
		    NULL);
	report_threads();
	world_end(HEDDLE_OUTCOME_SIGNAL, 6 /* SIGABRT, as libc does */);
}

/* The fork server. */

static void notify_tool(void)
{
	unsigned char byte = 1;
	while (sys_write(HEDDLE_FD_SERVER, &byte, 1) == -EINTR)
		;
}

static bool wait_for_tool(void)
{
	unsigned char byte;
	ssize_t got;
	while ((got = sys_read(HEDDLE_FD_SERVER, &byte, 1)) == -EINTR)
		;
	return got == 1;
}

static void serve(void)
{
	struct heddle_channel *channel = world.channel;
	uint64_t output_hash = channel->output_hash, effects_hash = channel->effects_hash;
	uint32_t report_used = channel->report_used; /* what is reported once for all of them */
	log_save_prefix();
	watchdog_stop(); /* many forks take a while */
	notify_tool();
	while (wait_for_tool()) {
		int status = 0;
		log_restore_prefix();
		channel->output_hash = output_hash;
		channel->effects_hash = effects_hash;
		channel->outcome = HEDDLE_OUTCOME_NONE;
		channel->report_used = report_used;
		channel->report_lost = channel->lost_keys = 0;
		channel->hidden_count = 0;
		channel->idle_count = 0;
		long child = sys_call(SYS_fork, 0, 0, 0, 0, 0, 0);
		if (child == 0) {
			sys_call(SYS_prctl, 1 /* PR_SET_PDEATHSIG */, 9, 0, 0, 0, 0);
			read_request();
			dispatch_arm();
			watchdog_start();
			return;
		}
		if (child > 0)
			while (sys_call(SYS_wait4, child, (long)&status, 0, 0, 0, 0) == -EINTR)
				;
		channel->wait_status = child < 0 ? 3 << 8 : status;
		notify_tool();
	}
	sys_call(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

int world_main(int argc, char **argv, char **environment)
{
	if (world.is_on) {
		world.channel->is_main = 1;
		if (world.channel->flags & HEDDLE_CONTROL_SERVER)
			serve();
		world_begin_strategy();
	}
	int status = world_real_main(argc, argv, environment);
	sync_exits();
	return status;
}
