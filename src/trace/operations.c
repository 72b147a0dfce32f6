/* operations.c: see operations.h. */
#include "trace/operations.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/proc.h"

int operations_make(struct operations *operations, struct err *err)
{
	struct heddle_operations first = { .version = HEDDLE_ABI_VERSION, .thread_count = 1 };
	memcpy(first.magic, HEDDLE_OPERATIONS_MAGIC, sizeof first.magic);
	*operations = (struct operations){ .fd = memfd_create("heddle-operations", MFD_CLOEXEC | MFD_ALLOW_SEALING) };
	int code = operations->fd < 0 ? -errno : proc_set_size(operations->fd, HEDDLE_OPERATIONS_BYTES);
	if (code < 0) {
		err_hint(err, "limits on memory or on the size of files (ulimit -f) may be too low");
		return err_set(err, -code, "cannot create the operation counter file: %s", strerror(-code));
	}
	/* The program cannot truncate the file while others have it mapped. */
	fcntl(operations->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	operations->path = mem_format("/proc/%d/fd/%d", (int)getpid(), operations->fd);
	if (pwrite(operations->fd, &first, sizeof first, 0) != (ssize_t)sizeof first)
		return err_set(err, errno, "cannot write the operation counter file: %s", strerror(errno));
	return 0;
}

static bool is_used(const struct heddle_operation_thread *thread)
{
	for (size_t i = 0; i < HEDDLE_OPERATION_FUNCTIONS; i++)
		if (thread->made[i])
			return true;
	for (size_t i = 0; i < HEDDLE_OPERATION_CALLS; i++)
		if (thread->calls[i])
			return true;
	return false;
}

int operations_read(struct operations *operations, struct err *err)
{
	void *mapped = mmap(NULL, HEDDLE_OPERATIONS_BYTES, PROT_READ, MAP_SHARED, operations->fd, 0);
	if (mapped == MAP_FAILED)
		return err_set(err, errno, "cannot read the operation counts: %s", strerror(errno));
	operations->header = mapped;
	uint32_t count = operations->header->thread_count;
	const struct heddle_operation_thread *blocks = (const void *)((const char *)mapped + HEDDLE_OPERATIONS_BLOCKS);
	if (count > HEDDLE_OPERATION_THREADS) {
		operations->shared_threads = count - HEDDLE_OPERATION_THREADS;
		count = HEDDLE_OPERATION_THREADS;
	}
	operations->threads = mem_alloc((count + 1) * sizeof *operations->threads);
	for (uint32_t i = 1; i < count; i++)
		if (is_used(&blocks[i]))
			operations->threads[operations->thread_count++] = &blocks[i];
	if (is_used(&blocks[0]))
		operations->threads[operations->thread_count++] = &blocks[0];
	return 0;
}

void operations_release(struct operations *operations)
{
	if (operations->header)
		munmap((void *)(uintptr_t)operations->header, HEDDLE_OPERATIONS_BYTES);
	free(operations->threads);
	free(operations->path);
	if (operations->fd >= 0)
		close(operations->fd);
	*operations = (struct operations){ .fd = -1 };
}

uint64_t operations_count(const struct operations *operations, const struct heddle_operation_thread *thread,
			  size_t function, enum operations_column column)
{
	uint64_t sum = 0;
	if (thread)
		return column == OPERATIONS_MADE     ? thread->made[function]
		       : column == OPERATIONS_FAILED ? thread->failed[function]
						     : thread->unwound[function];
	for (size_t i = 0; i < operations->thread_count; i++)
		sum += operations_count(operations, operations->threads[i], function, column);
	return sum;
}

uint64_t operations_calls(const struct operations *operations, const struct heddle_operation_thread *thread,
			  size_t number)
{
	uint64_t sum = 0;
	if (thread)
		return thread->calls[number];
	for (size_t i = 0; i < operations->thread_count; i++)
		sum += operations->threads[i]->calls[number];
	return sum;
}
