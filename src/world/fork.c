/* fork.c: see fork.h. */
#include "world/fork.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "rt/maps.h"
#include "rt/sys.h"
#include "world/parts.h"

static struct heddle_channel *original; /* in a copy: the channel of the one it is a copy of */
static bool is_done;

long world_fork(void)
{
	struct heddle_channel *channel = world.channel;
	long child = sys_call(SYS_fork, 0, 0, 0, 0, 0, 0);
	if (child != 0)
		return child;
	sys_call(SYS_prctl, 1 /* PR_SET_PDEATHSIG */, 9, 0, 0, 0, 0);
	struct heddle_channel *own = world_pages(sizeof *own);
	if (!own)
		sys_call(SYS_exit_group, 3, 0, 0, 0, 0, 0);
	memcpy(own, channel, offsetof(struct heddle_channel, report));
	own->report_used = own->log_used = 0;
	original = channel;
	world.channel = own;
	world.is_recording = world.is_detailed = false;
	dispatch_arm();
	watchdog_start();
	return 0;
}

void fork_here(void)
{
	struct heddle_channel *channel = world.channel;
	int status = 0;
	if (is_done || world_events() < channel->fork_at)
		return;
	is_done = true;
	long child = world_fork();
	if (child == 0) {
		if (channel->fork_seed != channel->seed) {
			world.channel->seed = channel->fork_seed;
			world_begin_strategy();
		}
		return;
	}
	while (child > 0 && sys_call(SYS_wait4, child, (long)&status, 0, 0, 0, 0) == -EINTR)
		;
	channel->fork_status = child < 0 ? 3 << 8 : status;
}

/* The program's own memory: what its files brought that can be written, what lies behind (bss), its heap and its
 * mappings. Not ours, and not the stacks, whose dead parts hold anything. */
struct sum {
	uint64_t hash;
	bool is_own; /* the last file was the runtime: unnamed mappings that follow belong to it, too */
};

static void add_mapping(void *data, const struct maps_entry *entry)
{
	struct sum *sum = data;
	bool is_file = entry->path[0] == '/', was_own = sum->is_own;
	bool is_ours = (entry->start >= PLACE_WORLD && entry->start < PLACE_WORLD_END) || place_is_tally(entry->start);
	/* Anonymous memory there is stacks, for the most part. */
	bool is_mapped = entry->start >= PLACE_MAPPINGS && entry->start < PLACE_WORLD && !is_file;
	sum->is_own = is_file ? maps_is_runtime(entry) : was_own && !entry->path[0];
	if (sum->is_own || is_ours || is_mapped || entry->path[0] == '[' || !(entry->protection & PROT_WRITE) ||
	    !(entry->protection & PROT_READ))
		return;
	for (const uint64_t *at = (const uint64_t *)entry->start; at < (const uint64_t *)entry->end; at++)
		sum->hash = ((sum->hash << 9 | sum->hash >> 55) ^ *at) * 0x9e3779b97f4a7c15ul;
}

static uint64_t memory_hash(void)
{
	struct sum sum = { 0 };
	maps_read(add_mapping, &sum);
	return sum.hash;
}

void fork_report_end(enum heddle_outcome outcome)
{
	struct heddle_channel *channel = world.channel;
	if (!channel->fork_at)
		return;
	if (!original) {
		channel->memory_hash = memory_hash();
		return;
	}
	original->fork_hash = world.hash;
	original->fork_events = world_events();
	original->fork_outcome = outcome;
	original->fork_memory_hash = memory_hash();
}
