/* seal.c: see seal.h. */
#include "trace/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#define KEY_SIZE 32u
#define BLOCK_SIZE 64u /* of SHA-256 */

/* Read or made once, at the first use; the tools have one thread. */
static struct {
	bool is_present;
	uint8_t bytes[KEY_SIZE];
	char problem[256];
} key;

static void set_problem(const char *what, const char *path, const char *why)
{
	snprintf(key.problem, sizeof key.problem, "%s \"%s\": %s", what, path, why);
}

/* $XDG_STATE_HOME or its default; null when there is none. Accounts of services name a home folder that does not exist, and it is
 * not ours to make. Caller frees. */
static char *state_folder(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	struct stat status;
	if (state && state[0] == '/')
		return mem_copy_string(state);
	bool is_present = home && home[0] == '/' && stat(home, &status) == 0 && S_ISDIR(status.st_mode);
	return is_present ? mem_format("%s/.local/state", home) : NULL;
}

/* Makes the folder and those above it, for their owner only. */
static bool make_folders(const char *path)
{
	char *copy = mem_copy_string(path);
	bool is_made = true;
	for (char *at = copy + 1; is_made; at++) {
		if (*at && *at != '/')
			continue;
		char was = *at;
		*at = '\0';
		is_made = mkdir(copy, 0700) == 0 || errno == EEXIST;
		*at = was;
		if (!was)
			break;
	}
	int code = errno;
	free(copy);
	errno = code;
	return is_made;
}

/* Returns 1 when the key was read, 0 when there is none, -1 when it must not be used. */
static int read_key(const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT)
		return 0;
	int code = fd < 0 ? errno : 0;
	if (fd >= 0 && fstat(fd, &status) < 0)
		code = errno;
	if (code)
		set_problem("cannot read", path, strerror(code));
	else if (!S_ISREG(status.st_mode))
		set_problem("the key is not used", path, "it is not a regular file");
	else if (status.st_uid != geteuid())
		set_problem("the key is not used", path, "it belongs to another user");
	else if (status.st_mode & 077)
		set_problem("the key is not used", path, "other users can read or write it; remove it, or chmod 600");
	else if (status.st_size != KEY_SIZE || read(fd, key.bytes, KEY_SIZE) != (ssize_t)KEY_SIZE)
		set_problem("the key is not used", path, "it is damaged; remove it");
	if (fd >= 0)
		close(fd);
	return key.problem[0] ? -1 : 1;
}

/* Writes the key in memory to a temporary file, then links that to the final name: the first process wins. */
static void write_key(const char *folder, const char *path)
{
	char *temporary = mem_format("%s/key.XXXXXX", folder);
	int fd = make_folders(folder) ? mkostemp(temporary, O_CLOEXEC) : -1; /* mode 0600 */
	bool is_written = fd >= 0 && write(fd, key.bytes, KEY_SIZE) == (ssize_t)KEY_SIZE && fsync(fd) == 0;
	if (!is_written || (link(temporary, path) < 0 && errno != EEXIST))
		set_problem("cannot write", path, strerror(errno));
	if (fd >= 0) {
		unlink(temporary);
		close(fd);
	}
	free(temporary);
}

static void find_key(void)
{
	char *state = state_folder();
	if (!state) {
		snprintf(key.problem, sizeof key.problem, "neither XDG_STATE_HOME nor HOME names a directory");
	} else {
		char *folder = mem_format("%s/heddle", state), *path = mem_format("%s/key", folder);
		if (read_key(path) == 0) {
			if (getrandom(key.bytes, KEY_SIZE, 0) == (ssize_t)KEY_SIZE)
				write_key(folder, path);
			if (!key.problem[0] && read_key(path) == 0)
				set_problem("cannot read", path, strerror(ENOENT));
		}
		free(folder);
		free(path);
		free(state);
	}
	if (key.problem[0] && getrandom(key.bytes, KEY_SIZE, 0) != (ssize_t)KEY_SIZE)
		abort(); /* 32 bytes are never cut short (getrandom(2)) */
	key.is_present = true;
}

static void begin_with(struct hash *hash, uint8_t pad)
{
	uint8_t block[BLOCK_SIZE];
	if (!key.is_present)
		find_key();
	memset(block, pad, sizeof block);
	for (size_t i = 0; i < KEY_SIZE; i++)
		block[i] ^= key.bytes[i];
	hash_init(hash);
	hash_add(hash, block, sizeof block);
}

void seal_begin(struct seal *self)
{
	begin_with(&self->inner, 0x36);
}

void seal_add(struct seal *self, const void *data, size_t size_bytes)
{
	hash_add(&self->inner, data, size_bytes);
}

void seal_end(struct seal *self, uint8_t mark[SEAL_SIZE])
{
	struct hash outer;
	hash_digest(&self->inner, mark);
	begin_with(&outer, 0x5c);
	hash_add(&outer, mark, SEAL_SIZE);
	hash_digest(&outer, mark);
}

bool seal_is_same(const uint8_t a[SEAL_SIZE], const uint8_t b[SEAL_SIZE])
{
	unsigned differs = 0;
	for (size_t i = 0; i < SEAL_SIZE; i++)
		differs |= a[i] ^ b[i];
	return differs == 0;
}

const char *seal_problem(void)
{
	if (!key.is_present)
		find_key();
	return key.problem[0] ? key.problem : NULL;
}
