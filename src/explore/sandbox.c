/* sandbox.c: see sandbox.h. */
#include "explore/sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

int sandbox_make(struct sandbox *self, struct err *err)
{
	const char *folder = getenv("TMPDIR");
	self->path = mem_format("%s/heddle-sandbox-XXXXXX", folder && *folder ? folder : "/tmp");
	if (mkdtemp(self->path))
		return 0;
	int code = err_set(err, errno, "cannot make the folder \"%s\": %s", self->path, strerror(errno));
	err_hint(err, "set TMPDIR to a folder that can be written to");
	free(self->path);
	self->path = NULL;
	return code;
}

/* Never follows a link. A folder that was made unreadable is opened up first: it is the program's, and that is ours. */
static void remove_all(int parent, const char *name)
{
	if (unlinkat(parent, name, 0) == 0 || (errno != EISDIR && errno != EPERM))
		return;
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == EACCES && fchmodat(parent, name, 0700, 0) == 0)
		fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		fchmod(fd, 0700);
	DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			remove_all(dirfd(folder), entry->d_name);
	if (folder)
		closedir(folder);
	else if (fd >= 0)
		close(fd);
	unlinkat(parent, name, AT_REMOVEDIR);
}

void sandbox_empty(struct sandbox *self)
{
	DIR *folder = self->path ? opendir(self->path) : NULL;
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			remove_all(dirfd(folder), entry->d_name);
	if (folder)
		closedir(folder);
}

void sandbox_remove(struct sandbox *self)
{
	if (self->path)
		remove_all(AT_FDCWD, self->path);
	free(self->path);
	self->path = NULL;
}
