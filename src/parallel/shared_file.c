/* shared_file.c: see shared_file.h. */
#include "parallel/shared_file.h"

#include <errno.h>
#include <string.h>

#include "heddle/abi.h"
#include "rt/sys.h"

int shared_file_map(const char *path, const char *magic, size_t min_bytes, bool is_writable, void **at,
		    size_t *size_bytes)
{
	int fd = path[0] ? sys_open(path, is_writable ? O_RDWR : O_RDONLY) : -ENOENT;
	int64_t size = fd < 0 ? fd : sys_file_size(fd);
	long mapped = size;
	if (size >= 0 && (uint64_t)size < min_bytes)
		mapped = -EBADMSG;
	else if (size >= 0)
		mapped = sys_mmap((size_t)size, is_writable ? PROT_READ | PROT_WRITE : PROT_READ,
				  (is_writable ? MAP_SHARED : MAP_PRIVATE) | MAP_NORESERVE, fd, 0);
	if (fd >= 0)
		sys_close(fd);
	if (sys_failed(mapped))
		return (int)mapped;
	const struct shared_file_head *head = (const struct shared_file_head *)mapped;
	if (memcmp(head->magic, magic, sizeof head->magic) != 0 || head->version != HEDDLE_ABI_VERSION) {
		sys_munmap((void *)mapped, (size_t)size);
		return -EBADMSG;
	}
	sys_madvise((void *)mapped, (size_t)size, MADV_DONTDUMP);
	*at = (void *)mapped;
	*size_bytes = (size_t)size;
	return 0;
}
