/* replica.c: see replica.h. */
#include "world/kernel/replica.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/stat.h>

#include "rt/sys.h"
#include "world/log.h"
#include "world/parts.h"

#define FILES_MAX 256u
#define RANGES_MAX 256u
/* In a replay nothing that the program opens is open, so its numbers are free. */
#define FD_FIRST 600
/* A replica has this size always: what is mapped of it can be touched. */
#define REPLICA_BYTES (1l << 46)
#define PAGE_BYTES 4096ul

static struct file {
	uint64_t device, inode; /* while recording */
	int fd;                 /* in a replay; 0: not made yet */
} files[FILES_MAX];
static uint32_t file_count;

static struct range {
	uintptr_t start, end;
	uint32_t number;
	uint64_t offset;
} ranges[RANGES_MAX];
static uint32_t range_count; /* the newest is the last; when there is no room, the oldest goes */

static int32_t number_of(const struct stat *status)
{
	for (uint32_t i = 0; i < file_count; i++)
		if (files[i].device == status->st_dev && files[i].inode == status->st_ino)
			return (int32_t)i;
	return -1;
}

int32_t replica_number(int fd)
{
	struct stat status;
	if (sys_call(SYS_fstat, fd, (long)&status, 0, 0, 0, 0) < 0 || !S_ISREG(status.st_mode))
		return -1;
	int32_t known = number_of(&status);
	if (known >= 0)
		return known;
	if (file_count == FILES_MAX) {
		report_limit("too many files are mapped with MAP_SHARED: a replay may differ in the last ones", NULL);
		return -1;
	}
	files[file_count] = (struct file){ .device = status.st_dev, .inode = status.st_ino };
	return (int32_t)file_count++;
}

void replica_mapped(uint32_t number, uintptr_t at, size_t size_bytes, uint64_t offset)
{
	uintptr_t end = at + ((size_bytes + PAGE_BYTES - 1) & -PAGE_BYTES);
	uint32_t kept = 0;
	for (uint32_t i = range_count == RANGES_MAX; i < range_count; i++)
		if (ranges[i].start < at || ranges[i].end > end)
			ranges[kept++] = ranges[i];
	ranges[kept] = (struct range){ at, end, number, offset };
	range_count = kept + 1;
}

/* Writing the log. */

static void write_record(uint32_t number, uint64_t offset, const void *bytes, size_t size)
{
	log_write_file(number, offset, bytes, size);
}

/* The path of an open descriptor. */
static void put_link(char *to, int fd)
{
	static const char folder[] = "/proc/self/fd/";
	char digits[12];
	size_t size = sizeof folder - 1, at = sizeof digits;
	for (size_t i = 0; i < size; i++)
		to[i] = folder[i];
	do
		digits[--at] = (char)('0' + fd % 10);
	while (fd /= 10);
	while (at < sizeof digits)
		to[size++] = digits[at++];
	to[size] = '\0';
}

static long view_of(int fd, uint64_t offset, size_t size)
{
	long view = sys_mmap(size, PROT_READ, MAP_SHARED, fd, offset);
	if (!sys_failed(view))
		return view;
	/* It is open for writing only. */
	char link[40];
	put_link(link, fd);
	int readable = sys_open(link, O_RDONLY);
	if (readable < 0)
		return readable;
	view = sys_mmap(size, PROT_READ, MAP_SHARED, readable, offset);
	sys_close(readable);
	return view;
}

static void record_bytes(int fd, uint32_t number, const struct stat *status, uint64_t offset, uint64_t size)
{
	uint64_t file_size = (uint64_t)status->st_size;
	if (offset >= file_size || size == 0)
		return;
	if (size > file_size - offset)
		size = file_size - offset;
	uint64_t start = offset & -PAGE_BYTES;
	long view = view_of(fd, start, offset - start + size);
	if (sys_failed(view)) {
		report_limit("a mapped file was written to and cannot be read: a replay may differ there", NULL);
		return;
	}
	write_record(number, offset, (const char *)view + (offset - start), size);
	sys_munmap((void *)view, offset - start + size);
}

/* Where the bytes went that the call wrote; they are behind the position now, and behind the end when it appends. */
static uint64_t written_at(int fd, const struct stat *status, const uint64_t *offset, long result)
{
	long flags = sys_call(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
	if (flags >= 0 && (flags & O_APPEND))
		return (uint64_t)(status->st_size - result);
	if (offset)
		return *offset;
	return (uint64_t)(sys_call(SYS_lseek, fd, 0, 1 /* SEEK_CUR */, 0, 0, 0) - result);
}

/* A call that changes a file: which descriptor, and where. */
struct change {
	int fd;
	uint64_t at;
	bool has_at;
};

static bool is_write(long number, const uint64_t a[6], struct change *change)
{
	const int64_t *moved; /* the kernel has added what it wrote */
	*change = (struct change){ .fd = (int)a[0] };
	switch (number) {
	case SYS_write:
	case SYS_writev:
	case SYS_sendfile:
		return true;
	case SYS_pwritev2:
		change->has_at = (int64_t)a[3] != -1;
		change->at = a[3];
		return true;
	case SYS_pwrite64:
	case SYS_pwritev:
		change->has_at = true;
		change->at = a[3];
		return true;
	case SYS_splice:
	case SYS_copy_file_range:
		change->fd = (int)a[2];
		moved = (const int64_t *)a[3];
		change->has_at = moved != NULL;
		return true;
	default:
		return false;
	}
}

static void record_write(long number, const uint64_t a[6], long result)
{
	struct change change;
	struct stat status;
	if (!is_write(number, a, &change) || sys_call(SYS_fstat, change.fd, (long)&status, 0, 0, 0, 0) < 0)
		return;
	int32_t file = S_ISREG(status.st_mode) ? number_of(&status) : -1;
	if (file < 0)
		return;
	if (change.has_at && (number == SYS_splice || number == SYS_copy_file_range))
		change.at = *(const uint64_t *)a[3] - (uint64_t)result;
	uint64_t at = written_at(change.fd, &status, change.has_at ? &change.at : NULL, result);
	record_bytes(change.fd, (uint32_t)file, &status, at, (uint64_t)result);
}

static bool truncates(long number, const uint64_t a[6])
{
	return number == SYS_creat || (number == SYS_open && (a[1] & O_TRUNC)) ||
	       (number == SYS_openat && (a[2] & O_TRUNC));
}

static void record_other(long number, const uint64_t a[6], long result)
{
	struct stat status;
	bool is_path = number == SYS_truncate, is_opened = truncates(number, a);
	if (number != SYS_ftruncate && number != SYS_fallocate && !is_path && !is_opened)
		return;
	int fd = is_opened ? (int)result : (int)a[0];
	long code = is_path ? sys_call(SYS_stat, (long)a[0], (long)&status, 0, 0, 0, 0)
			    : sys_call(SYS_fstat, fd, (long)&status, 0, 0, 0, 0);
	int32_t file = code == 0 && S_ISREG(status.st_mode) ? number_of(&status) : -1;
	if (file < 0)
		return;
	if (number != SYS_fallocate) {
		write_record((uint32_t)file, is_opened ? 0 : a[1], NULL, 0);
		return;
	}
	bool is_shift = a[1] & (FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE);
	if (a[1] & ~(uint64_t)FALLOC_FL_KEEP_SIZE)
		record_bytes(fd, (uint32_t)file, &status, a[2], is_shift ? (uint64_t)status.st_size : a[3]);
}

/* Replay. */

static int fd_of(uint32_t number)
{
	if (number >= FILES_MAX)
		world_fail(HEDDLE_OUTCOME_DIVERGED, "the log of the trace is damaged:", "no such file");
	struct file *file = &files[number];
	if (!file->fd) {
		long made = sys_call(SYS_memfd_create, (long)"replica", 1 /* MFD_CLOEXEC */, 0, 0, 0, 0);
		long fd = made < 0 ? made : sys_call(SYS_fcntl, made, F_DUPFD_CLOEXEC, FD_FIRST, 0, 0, 0);
		if (made >= 0)
			sys_close((int)made);
		if (fd < 0 || sys_call(SYS_ftruncate, fd, REPLICA_BYTES, 0, 0, 0, 0) < 0)
			world_fail(HEDDLE_OUTCOME_REFUSED, "out of memory for a file that the program maps", NULL);
		file->fd = (int)fd;
	}
	return file->fd;
}

static void put_bytes(int fd, uint64_t offset, const unsigned char *bytes, size_t size)
{
	while (size) {
		long done = sys_call(SYS_pwrite64, fd, (long)bytes, (long)size, (long)offset, 0, 0);
		if (done <= 0)
			world_fail(HEDDLE_OUTCOME_REFUSED, "out of memory for a file that the program maps", NULL);
		bytes += done;
		offset += (uint64_t)done;
		size -= (size_t)done;
	}
}

long replica_map(uint32_t number, uintptr_t at, size_t size_bytes, int protection, uint64_t offset,
		 const unsigned char *contents, size_t contents_size)
{
	int fd = fd_of(number);
	size_t whole = (size_bytes + PAGE_BYTES - 1) & -PAGE_BYTES;
	put_bytes(fd, offset, contents, contents_size < whole ? contents_size : whole);
	if (contents_size < whole)
		sys_call(SYS_fallocate, fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (long)(offset + contents_size),
			 (long)(whole - contents_size), 0, 0);
	return sys_call(SYS_mmap, (long)at, (long)size_bytes, protection, MAP_SHARED | MAP_FIXED, fd, (long)offset);
}

/* All that are next. */
static void replay_records(void)
{
	while (log_next.tag == HEDDLE_RECORD_FILE) {
		int fd = fd_of((uint32_t)log_next.value[0]);
		if (log_next.value[2]) {
			put_bytes(fd, log_next.value[1], log_next.bytes, log_next.value[2]);
		} else {
			sys_call(SYS_ftruncate, fd, (long)log_next.value[1], 0, 0, 0, 0);
			sys_call(SYS_ftruncate, fd, REPLICA_BYTES, 0, 0, 0, 0);
		}
		log_advance();
	}
}

/* Both. */

void replica_moved(uintptr_t from, size_t old_size_bytes, uintptr_t to, size_t size_bytes)
{
	uint32_t at = range_count; /* the newest: others may be below it */
	while (at > 0 && (from < ranges[at - 1].start || from >= ranges[at - 1].end))
		at--;
	if (!at)
		return;
	uint32_t number = ranges[at - 1].number;
	uint64_t offset = ranges[at - 1].offset + (from - ranges[at - 1].start);
	replica_mapped(number, to, size_bytes, offset);
	if (world.is_replaying) {
		replay_records();
	} else if (world.is_recording && size_bytes > old_size_bytes) {
		/* What is new of it can be looked at only as far as the file goes. */
		size_t page = (old_size_bytes + PAGE_BYTES - 1) & -PAGE_BYTES;
		unsigned char in_core;
		while (page < size_bytes && sys_call(SYS_mincore, (long)(to + page), 1, (long)&in_core, 0, 0, 0) == 0 &&
		       sys_call(SYS_madvise, (long)(to + page), PAGE_BYTES, 22 /* MADV_POPULATE_READ */, 0, 0, 0) ==
			       0) {
			write_record(number, offset + page, (const void *)(to + page), PAGE_BYTES);
			page += PAGE_BYTES;
		}
	}
}

void replica_after(long number, const uint64_t arguments[6], long result)
{
	if (world.is_replaying)
		replay_records();
	else if (world.is_recording && file_count && result >= 0) {
		record_other(number, arguments, result);
		if (result > 0)
			record_write(number, arguments, result);
	}
}
