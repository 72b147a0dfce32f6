/* sources.c: see sources.h. */
#include "base/sources.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void sources_add(struct sources *self, const char *folder)
{
	if (!strings_has(&self->folders, folder))
		strings_add(&self->folders, folder);
}

void sources_add_program(struct sources *self, const char *program)
{
	const char *slash = strrchr(program, '/');
	char *folder = slash ? mem_format("%.*s", (int)(slash > program ? slash - program : 1), program)
			     : mem_copy_string(".");
	char *real = realpath(folder, NULL);
	sources_add(self, folder);
	if (real && !strings_has(&self->above, real))
		strings_add(&self->above, real);
	free(real);
	free(folder);
}

static void free_file(void *value)
{
	struct sources_file *file = value;
	free(file->path);
	free(file);
}

void sources_release(struct sources *self)
{
	map_release_values(&self->found, free_file);
	strings_release(&self->folders);
	strings_release(&self->above);
}

/* One search. */
struct search {
	const struct sources *sources;
	struct sources_file *file;
	char *no_file; /* the first that is there but no file; null: none */
};

/* Takes the path over. */
static bool try_path(struct search *self, char *path)
{
	struct stat status;
	const struct sources *sources = self->sources;
	bool is_present =
		stat(path, &status) == 0 && (!sources->is_allowed || sources->is_allowed(sources->context, path));
	if (is_present && S_ISREG(status.st_mode)) {
		self->file->path = path;
		return true;
	}
	if (is_present && !self->no_file)
		self->no_file = path;
	else
		free(path);
	return false;
}

static bool try_folders(struct search *self, const char *name)
{
	for (size_t i = 0; i < self->sources->folders.count; i++) {
		const char *folder = self->sources->folders.items[i];
		self->file->is_elsewhere = i > 0;
		if (try_path(self,
			     strcmp(folder, ".") == 0 ? mem_copy_string(name) : mem_format("%s/%s", folder, name)))
			return true;
	}
	self->file->is_elsewhere = true;
	return false;
}

static bool try_above(struct search *self, const char *name)
{
	bool is_found = false;
	for (size_t i = 0; i < self->sources->above.count && !is_found; i++) {
		char *folder = mem_copy_string(self->sources->above.items[i]);
		while (!is_found && *folder) {
			is_found = try_path(self, mem_format("%s/%s", folder, name));
			*strrchr(folder, '/') = '\0';
		}
		free(folder);
	}
	return is_found;
}

/* System headers that do not exist are not in any project. */
static bool is_system(const char *name)
{
	return strncmp(name, "/usr/include/", 13) == 0 || strncmp(name, "/usr/lib/", 9) == 0;
}

/* The tree is elsewhere: as much as possible of the end of the name. A bare name may belong to any project. */
static bool try_ends(struct search *self, const char *name)
{
	for (const char *at = name; (at = strchr(at, '/'));) {
		at += strspn(at, "/");
		if (strncmp(at, "../", 3) != 0 && strchr(at, '/') && (try_folders(self, at) || try_above(self, at)))
			return true;
	}
	return false;
}

static void search(struct search *self, const char *name)
{
	const bool is_absolute = name[0] == '/';
	if (is_absolute && try_path(self, mem_copy_string(name)))
		return;
	if (!is_absolute && (try_folders(self, name) || try_above(self, name)))
		return;
	/* A file that exists but may not be read is not searched for elsewhere. */
	if (is_absolute ? !is_system(name) && access(name, F_OK) < 0 : strncmp(name, "../", 3) == 0)
		try_ends(self, name);
	self->file->is_elsewhere = true;
}

const struct sources_file *sources_find(struct sources *self, const char *name)
{
	struct sources_file *file = map_get(&self->found, name);
	if (file)
		return file;
	file = mem_alloc(sizeof *file);
	map_set(&self->found, name, file);
	struct search one = { self, file, NULL };
	if (*name)
		search(&one, name);
	if (file->path)
		free(one.no_file);
	else if ((file->path = one.no_file))
		file->is_elsewhere = false;
	return file;
}

char *sources_repository(void)
{
	char *folder = getcwd(NULL, 0);
	while (folder && *folder) {
		char *path = mem_format("%s/.git", folder);
		bool is_root = access(path, F_OK) == 0; /* of a worktree it is a file */
		free(path);
		if (is_root)
			return folder;
		*strrchr(folder, '/') = '\0';
	}
	free(folder);
	return NULL;
}
