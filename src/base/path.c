/* path.c: see path.h. */
#include "base/path.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

/* Whether what was written ends with a name that ".." takes back. */
static bool ends_in_name(const char *path, size_t size)
{
	return size &&
	       !(size >= 2 && path[size - 1] == '.' && path[size - 2] == '.' && (size == 2 || path[size - 3] == '/'));
}

void path_tidy(char *path)
{
	const bool is_absolute = path[0] == '/';
	size_t start = is_absolute, out = start;
	for (const char *at = path + start; *at;) {
		size_t size = strcspn(at, "/");
		const char *next = at + size + (at[size] == '/');
		bool is_up = size == 2 && at[0] == '.' && at[1] == '.';
		if (size == 0 || (size == 1 && at[0] == '.') || (is_up && is_absolute && out == start)) {
			at = next;
			continue;
		}
		if (is_up && ends_in_name(path + start, out - start)) {
			while (out > start && path[out - 1] != '/')
				out--;
			out -= out > start;
		} else {
			if (out > start)
				path[out++] = '/';
			memmove(path + out, at, size);
			out += size;
		}
		at = next;
	}
	if (out == 0 && path[0])
		path[out++] = '.';
	path[out] = '\0';
}

char *path_join(const char *folder, const char *name)
{
	char *path = folder && *folder && name[0] != '/' ? mem_format("%s/%s", folder, name) : mem_copy_string(name);
	path_tidy(path);
	return path;
}

bool path_is_same_file(const char *one, const char *other)
{
	struct stat a, b;
	return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

void path_view_init(struct path_view *self)
{
	const char *named = getenv("PWD");
	*self = (struct path_view){ .folder = getcwd(NULL, 0) };
	if (self->folder && named && named[0] == '/' && strcmp(named, self->folder) != 0 &&
	    path_is_same_file(".", named)) {
		self->named = mem_copy_string(named);
		path_tidy(self->named);
	}
}

void path_view_release(struct path_view *self)
{
	free(self->folder);
	free(self->named);
	*self = (struct path_view){ 0 };
}

/* What is behind the folder, or null. */
static const char *below(const char *folder, const char *path)
{
	size_t size = folder ? strlen(folder) : 0;
	return size > 1 && strncmp(path, folder, size) == 0 && path[size] == '/' ? path + size + 1 : NULL;
}

/* The path by way of folders above, or null when they have nothing but the root in common. */
static char *by_way_of(const char *folder, const char *path)
{
	size_t common = 0, ups = 1;
	for (size_t i = 0; folder[i] && folder[i] == path[i]; i++)
		if (folder[i] == '/')
			common = i;
	if (common == 0)
		return NULL;
	for (const char *at = folder + common + 1; *at; at++)
		ups += *at == '/';
	struct buf displayed = { 0 };
	for (size_t i = 0; i < ups; i++)
		buf_add_string(&displayed, "../");
	buf_add_string(&displayed, path + common + 1);
	return displayed.data;
}

char *path_view_display(const struct path_view *self, const char *path)
{
	const char *own = path[0] == '/' ? below(self->folder, path) : NULL;
	if (!own && path[0] == '/')
		own = below(self->named, path);
	if (own || path[0] != '/' || !self->folder)
		return mem_copy_string(own ? own : path);
	/* From a folder that a link leads to, ".." is not the folder that the link is in. */
	char *displayed = by_way_of(self->folder, path);
	if (displayed && strlen(displayed) < strlen(path))
		return displayed;
	free(displayed);
	return mem_copy_string(path);
}
