/* state.c: see state.h. The lines are described at struct heddle_channel. */
#include "world/memory/state.h"

#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "rt/maps.h"
#include "rt/sys.h"
#include "world/memory/heap.h"
#include "world/parts.h"
#include "world/switch.h"

#define PAGE_BYTES 4096ul
#define CHUNK_PAGES 32u
#define CHUNK_BYTES (CHUNK_PAGES * PAGE_BYTES)
#define PAGE_WORDS (PAGE_BYTES / sizeof(uint64_t))
/* Of the lines that list words. */
#define MAX_CHANGED 4096u
/* Of libc's description of a thread, which begins where fs points to. */
#define THREAD_BYTES 2304ul
/* Bits of an entry of pagemap (Documentation/admin-guide/mm/pagemap.rst). */
#define PAGE_IS_THERE (3ul << 62)
#define PAGE_IS_OF_FILE (1ul << 61)
/* Where blocks are: before that is what the heap knows of them. */
#define BLOCKS_START (PLACE_HEAP + (256ul << 30))
#define BLOCKS_END (PLACE_HEAP + PLACE_HEAP_ROOM)

enum memory_kind { MEMORY_DATA, MEMORY_BLOCKS, MEMORY_STACK, MEMORY_OTHER };

static long copy;           /* process id; 0: there is none */
static uint64_t kept_calls; /* of the heap, until then */
static uint64_t kept[CHUNK_BYTES / sizeof(uint64_t)];
static uint64_t page_map[CHUNK_PAGES];

struct scan {
	uintptr_t here; /* the current thread's stack is dead below this */
	uint64_t here_fs;
	int pages; /* descriptor of pagemap; negative: there is none */
	uint32_t listed;
	uint64_t unlisted, unlisted_hash;
	bool is_failed;
	/* The mapping before. */
	uintptr_t end;
	bool is_own, is_file;
	/* The mapping that is looked at. */
	enum memory_kind kind;
	const struct thread *stack_of; /* MEMORY_STACK */
};

/* The copy does nothing, and ends with the process. It has no descriptors, so that it keeps no pipe open. */
static _Noreturn void be_copy(void)
{
	uint64_t all = UINT64_MAX;
	sys_call(SYS_prctl, 1 /* PR_SET_PDEATHSIG */, 9, 0, 0, 0, 0);
	sys_call(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, (long)&all, 0, sizeof all, 0, 0);
	sys_call(SYS_close_range, 0, UINT32_MAX, 0, 0, 0, 0);
	for (;;)
		sys_call(SYS_pause, 0, 0, 0, 0, 0, 0);
}

bool state_keep(void)
{
	if (copy)
		RT_BUG("the state of a run is kept twice");
	/* Without a signal at its end the program's own wait does not see it. */
	long child = sys_call(SYS_clone, 0, 0, 0, 0, 0, 0);
	if (child == 0)
		be_copy();
	copy = child > 0 ? child : 0;
	kept_calls = heap_totals().calls;
	return copy != 0;
}

void state_drop(void)
{
	if (!copy)
		return;
	sys_call(SYS_kill, copy, 9, 0, 0, 0, 0);
	sys_call(SYS_wait4, copy, 0, __WALL, 0, 0, 0);
	copy = 0;
}

/* What was at the address, into kept: zeros where nothing was mapped. */
static void read_kept(struct scan *scan, uintptr_t at, size_t size_bytes)
{
	for (size_t done = 0; done < size_bytes;) {
		struct iovec to = { (char *)kept + done, size_bytes - done };
		struct iovec from = { (void *)(at + done), size_bytes - done };
		long got = sys_call(SYS_process_vm_readv, copy, (long)&to, 1, (long)&from, 1, 0);
		if (sys_failed(got) && got != -14 /* EFAULT */) {
			scan->is_failed = true;
			return;
		}
		if (got > 0) {
			done += (size_t)got;
			continue;
		}
		size_t page = PAGE_BYTES - (at + done) % PAGE_BYTES;
		page = page < size_bytes - done ? page : size_bytes - done;
		memset((char *)kept + done, 0, page);
		done += page;
	}
}

static uintptr_t stack_pointer_of(const struct scan *scan, const struct thread *thread)
{
	return thread == world.current ? scan->here : (uintptr_t)thread->stack_pointer;
}

/* The live thread whose stack pointer is in that memory; null: there is none. */
static const struct thread *find_stack(const struct scan *scan, uintptr_t start, uintptr_t end)
{
	for (uint32_t i = 0; i < world.live_count; i++) {
		uintptr_t at = stack_pointer_of(scan, world.live[i]);
		if (at >= start && at < end)
			return world.live[i];
	}
	return NULL;
}

static bool is_libcs(const struct scan *scan, uintptr_t at)
{
	for (uint32_t i = 0; i < world.live_count; i++) {
		const struct thread *thread = world.live[i];
		uintptr_t start = thread == world.current ? scan->here_fs : thread->fs_base;
		if (at >= start && at - start < THREAD_BYTES)
			return true;
	}
	return false;
}

static void put_changed(uintptr_t at, uint64_t before, uint64_t after, const char *kind)
{
	report_put("changed ");
	report_put_number(at, 16);
	report_put(" ");
	report_put_number(before, 16);
	report_put(" ");
	report_put_number(after, 16);
	report_put(kind);
}

/* The bytes of a word that are in the first size bytes behind it. */
static uint64_t within(uint64_t word, size_t size)
{
	return size >= sizeof word ? word : word & ((1ul << 8 * size) - 1);
}

/* Whether the word counts as one of those that lines list. */
static bool is_listed(struct scan *scan, uintptr_t at, uint64_t after)
{
	if (scan->listed < MAX_CHANGED) {
		scan->listed++;
		return true;
	}
	scan->unlisted++;
	scan->unlisted_hash =
		((scan->unlisted_hash << 9 | scan->unlisted_hash >> 55) ^ at ^ after) * 0x9e3779b97f4a7c15ul;
	return false;
}

static void add_of_block(struct scan *scan, uintptr_t at, uint64_t before, uint64_t after)
{
	struct heap_block block;
	if (!heap_find((const void *)at, &block) || block.state != HEAP_LIVE || block.beyond)
		return;
	uintptr_t start = (uintptr_t)block.start;
	before = within(before, block.size - (at - start));
	after = within(after, block.size - (at - start));
	const struct thread *thread = find_stack(scan, start, start + block.size);
	if (before == after || (thread && at < stack_pointer_of(scan, thread)) || !is_listed(scan, at, after))
		return;
	put_changed(at, before, after, " block ");
	report_put_number(start, 16);
	report_put(" ");
	report_put_number(block.size, 10);
	report_put(" ");
	report_put_number(block.made <= kept_calls ? block.made : 0, 10);
	report_put("\n");
}

static void add_word(struct scan *scan, uintptr_t at, uint64_t before, uint64_t after)
{
	if (scan->kind == MEMORY_BLOCKS) {
		add_of_block(scan, at, before, after);
		return;
	}
	if (scan->kind == MEMORY_STACK && at < stack_pointer_of(scan, scan->stack_of))
		return;
	if (is_libcs(scan, at) || !is_listed(scan, at, after))
		return;
	if (scan->kind == MEMORY_STACK) {
		put_changed(at, before, after, " stack ");
		report_put_number(scan->stack_of->index, 10);
		report_put("\n");
	} else {
		put_changed(at, before, after, scan->kind == MEMORY_DATA ? " data\n" : " mapping\n");
	}
}

/* Whether a page may have changed: it was written. Without pagemap any may. */
static bool may_differ(uint64_t entry)
{
	return (entry & PAGE_IS_THERE) && !(entry & PAGE_IS_OF_FILE);
}

static void read_page_map(const struct scan *scan, uintptr_t at, size_t pages)
{
	long want = (long)(pages * sizeof *page_map), offset = (long)(at / PAGE_BYTES * sizeof *page_map);
	if (scan->pages >= 0 && sys_call(SYS_pread64, scan->pages, (long)page_map, want, offset, 0, 0) == want)
		return;
	for (size_t i = 0; i < pages; i++)
		page_map[i] = PAGE_IS_THERE;
}

static void scan_page(struct scan *scan, uintptr_t at)
{
	read_kept(scan, at, PAGE_BYTES);
	const uint64_t *now = (const uint64_t *)at;
	for (size_t i = 0; !scan->is_failed && i < PAGE_WORDS; i++)
		if (now[i] != kept[i])
			add_word(scan, at + i * sizeof *now, kept[i], now[i]);
}

static void scan_memory(struct scan *scan, uintptr_t start, uintptr_t end)
{
	for (uintptr_t chunk = start; chunk < end && !scan->is_failed; chunk += CHUNK_BYTES) {
		size_t pages = (end - chunk < CHUNK_BYTES ? end - chunk : CHUNK_BYTES) / PAGE_BYTES;
		read_page_map(scan, chunk, pages);
		for (size_t i = 0; i < pages && !scan->is_failed; i++)
			if (may_differ(page_map[i]))
				scan_page(scan, chunk + i * PAGE_BYTES);
	}
}

/* libc keeps the stacks of threads that have ended for new ones. */
static bool is_left(const struct maps_entry *entry)
{
	for (uint32_t i = 1; i <= world.place_count; i++) {
		const struct thread *thread = &world.threads[i];
		if (thread->state == THREAD_ENDED && thread->fs_base >= entry->start && thread->fs_base < entry->end)
			return true;
	}
	return false;
}

static bool is_ours(const struct maps_entry *entry)
{
	return (entry->start >= PLACE_WORLD && entry->start < PLACE_WORLD_END) || place_is_tally(entry->start) ||
	       (entry->start >= PLACE_HEAP && entry->start < BLOCKS_START);
}

static enum memory_kind kind_of(const struct scan *scan, const struct maps_entry *entry, bool is_of_file)
{
	if (entry->start >= BLOCKS_START && entry->start < BLOCKS_END)
		return MEMORY_BLOCKS;
	if (is_of_file)
		return MEMORY_DATA;
	return scan->stack_of ? MEMORY_STACK : MEMORY_OTHER;
}

/* Memory without a name right behind that of a file is its bss. */
static void scan_mapping(void *data, const struct maps_entry *entry)
{
	struct scan *scan = data;
	bool is_file = entry->path[0] == '/', is_behind = !entry->path[0] && entry->start == scan->end;
	scan->is_own = is_file ? maps_is_runtime(entry) : is_behind && scan->is_own;
	scan->is_file = is_file || (is_behind && scan->is_file);
	scan->end = entry->end;
	if (scan->is_own || scan->is_failed || entry->is_shared || is_ours(entry) ||
	    !(entry->protection & PROT_WRITE) || !(entry->protection & PROT_READ))
		return;
	scan->stack_of = find_stack(scan, entry->start, entry->end);
	scan->kind = kind_of(scan, entry, scan->is_file);
	if (scan->kind == MEMORY_OTHER && is_left(entry))
		return;
	scan_memory(scan, entry->start, entry->end);
}

bool state_report(void)
{
	struct scan scan = { .here = (uintptr_t)__builtin_frame_address(0), .here_fs = switch_fs_base() };
	if (!copy)
		return false;
	scan.pages = sys_open("/proc/self/pagemap", O_RDONLY);
	scan.is_failed = maps_read(scan_mapping, &scan) < 0 || scan.is_failed;
	if (scan.pages >= 0)
		sys_close(scan.pages);
	if (scan.unlisted) {
		report_put("unlisted ");
		report_put_number(scan.unlisted, 10);
		report_put(" ");
		report_put_number(scan.unlisted_hash, 16);
		report_put("\n");
	}
	report_put("live ");
	report_put_number(heap_totals().live_bytes, 10);
	report_put("\n");
	return !scan.is_failed;
}
