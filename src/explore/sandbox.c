/* sandbox.c: see sandbox.h. */
#include "explore/sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

#define PREFIX "heddle-sandbox-"
/* Between its creation and its lock a folder looks abandoned. */
#define YOUNG_SECONDS 60

static void remove_all(int parent, const char *name);

/* Whether the folder belongs to this user and is not in use. */
static bool is_left(int parent, const char *name)
{
	struct stat status;
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool is_it = fd >= 0 && fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
		     time(NULL) - status.st_mtime > YOUNG_SECONDS && flock(fd, LOCK_EX | LOCK_NB) == 0;
	if (fd >= 0)
		close(fd);
	return is_it;
}

static void sweep(const char *path)
{
	DIR *folder = opendir(path);
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) == 0 && is_left(dirfd(folder), entry->d_name))
			remove_all(dirfd(folder), entry->d_name);
	if (folder)
		closedir(folder);
}

int sandbox_make(struct sandbox *self, struct err *err)
{
	static bool is_swept;
	const char *folder = getenv("TMPDIR");
	folder = folder && *folder ? folder : "/tmp";
	if (!is_swept)
		sweep(folder);
	is_swept = true;
	self->path = mem_format("%s/" PREFIX "XXXXXX", folder);
	self->lock_fd = -1;
	if (mkdtemp(self->path)) {
		self->lock_fd = open(self->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (self->lock_fd >= 0)
			flock(self->lock_fd, LOCK_SH); /* where there are no locks, leftovers are not removed */
		return 0;
	}
	int code = err_set(err, errno, "cannot create the directory \"%s\": %s", self->path, strerror(errno));
	err_hint(err, "set TMPDIR to a writable directory");
	free(self->path);
	self->path = NULL;
	return code;
}

static void remove_all(int parent, const char *name);

static void remove_contents(DIR *folder)
{
	for (struct dirent *entry; (entry = readdir(folder));)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			remove_all(dirfd(folder), entry->d_name);
	closedir(folder);
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
	if (folder)
		remove_contents(folder);
	else if (fd >= 0)
		close(fd);
	unlinkat(parent, name, AT_REMOVEDIR);
}

void sandbox_empty(struct sandbox *self)
{
	DIR *folder = self->path ? opendir(self->path) : NULL;
	if (folder)
		remove_contents(folder);
}

void sandbox_remove(struct sandbox *self)
{
	if (self->path) {
		remove_all(AT_FDCWD, self->path);
		if (self->lock_fd >= 0)
			close(self->lock_fd);
	}
	free(self->path);
	self->path = NULL;
}
