/* hottest.c: see hottest.h. */
#include "narrate/hottest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "judge/store_use.h"

/* The file may have been rebuilt since, or be gone: then its sites have numbers only. */
static int open_object(const struct counts_object *object, const struct woven **woven, struct err *err)
{
	struct woven *opened;
	int code = woven_open(object->path, &opened, err);
	if (code < 0)
		return code;
	if (memcmp(woven_build(opened)->id, object->build, sizeof object->build) == 0 &&
	    woven_site_count(opened) == object->site_count) {
		*woven = opened;
		return 0;
	}
	woven_free(opened);
	return err_set(err, ESTALE, "the file is not the build that ran");
}

void hottest_init(struct hottest *hottest, const struct counts *counts)
{
	*hottest = (struct hottest){ .counts = counts };
	hottest->objects = mem_alloc(counts->object_count * sizeof *hottest->objects);
	hottest->faults = mem_alloc(counts->object_count * sizeof *hottest->faults);
	for (size_t i = 0; i < counts->object_count; i++) {
		const struct counts_object *object = &counts->objects[i];
		const struct woven **woven = &hottest->objects[i].woven;
		struct woven_site site;
		open_object(object, woven, &hottest->faults[i]);
		for (uint32_t id = 0; id < object->site_count; id++) {
			uint64_t count = object->totals ? object->totals[id] : 0;
			hottest->access_count += count;
			hottest->hit_count += count > 0;
			bool is_known = *woven && woven_site(*woven, id, &site);
			hottest->site_count += !*woven || is_known;
		}
	}
}

void hottest_release(struct hottest *hottest)
{
	for (size_t i = 0; i < hottest->counts->object_count; i++) {
		names_release(&hottest->objects[i].names);
		woven_free((struct woven *)(uintptr_t)hottest->objects[i].woven);
	}
	free(hottest->objects);
	free(hottest->faults);
	*hottest = (struct hottest){ 0 };
}

struct hit {
	uint64_t count;
	size_t object;
	uint32_t id;
};

static int compare_hits(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static struct hit *collect_hits(const struct hottest *hottest)
{
	struct hit *hits = mem_alloc(hottest->hit_count * sizeof *hits);
	size_t count = 0;
	for (size_t i = 0; i < hottest->counts->object_count; i++) {
		const struct counts_object *object = &hottest->counts->objects[i];
		for (uint32_t id = 0; object->totals && id < object->site_count; id++)
			if (object->totals[id])
				hits[count++] = (struct hit){ object->totals[id], i, id };
	}
	qsort(hits, count, sizeof *hits, compare_hits);
	return hits;
}

/* A line with its columns after count and share: place, function, access, variable, and the object if there are
 * several. */
static void add_line(struct buf *out, struct hottest *hottest, const struct hit *hit)
{
	struct description *object = &hottest->objects[hit->object];
	const char *path = hottest->counts->objects[hit->object].path;
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	struct woven_site site;
	struct buf column = { 0 };
	buf_format(out, "%14" PRIu64 "  %5.1f %%  ", hit->count,
		   100.0 * (double)hit->count / (double)hottest->access_count);
	if (!object->woven || !woven_site(object->woven, hit->id, &site)) {
		buf_format(out, "site %" PRIu32 " of ", hit->id);
		text_terminal(out, name);
		buf_add_string(out, "\n");
		return;
	}
	describe_place(&column, site.file, site.record.line, site.record.column);
	buf_format(out, "%-28s  ", column.data);
	column.size = 0;
	describe_function(&column, object, describe_written_in(object, &site));
	buf_format(out, "%-20s  ", column.data);
	column.size = 0;
	describe_access(&column, &site.record);
	buf_format(out, site.variable ? "%-22s  " : "%s", column.data);
	if (site.variable)
		text_terminal(out, site.variable);
	if (hottest->counts->object_count > 1) {
		buf_add_string(out, "  [");
		text_terminal(out, name);
		buf_add_string(out, "]");
	}
	buf_add_string(out, "\n");
	describe_inlining(out, object, &site, "                           ");
	buf_release(&column);
}

static const char *plural(uint64_t number)
{
	return number == 1 ? "" : "s";
}

void hottest_text(struct buf *out, struct hottest *hottest, uint64_t top)
{
	const struct counts *counts = hottest->counts;
	for (size_t i = 0; i < counts->object_count; i++) {
		if (hottest->objects[i].woven)
			continue;
		buf_add_string(out, "heddle: the sites of \"");
		text_terminal(out, counts->objects[i].path);
		buf_format(out, "\" have no names: %s\n", hottest->faults[i].message);
	}
	if (counts->lost_objects)
		buf_format(out, "heddle: %" PRIu64 " object%s not counted: the table is full\n", counts->lost_objects,
			   counts->lost_objects == 1 ? " was" : "s were");
	buf_format(out,
		   "heddle: %" PRIu64 " access%s at %" PRIu64 " of %" PRIu64 " sites, %" PRIu32 " process%s, %" PRIu32
		   " function%s switched",
		   hottest->access_count, hottest->access_count == 1 ? "" : "es", hottest->hit_count,
		   hottest->site_count, counts->process_count, counts->process_count == 1 ? "" : "es",
		   counts->switched_count, plural(counts->switched_count));
	buf_add_string(out, "\n");
	struct hit *hits = collect_hits(hottest);
	if (hottest->hit_count && top)
		buf_format(out, "%14s  %7s  %-28s  %-20s  %-22s  %s\n", "count", "share", "place", "function", "access",
			   "variable");
	for (uint64_t i = 0; i < hottest->hit_count && i < top; i++)
		add_line(out, hottest, &hits[i]);
	free(hits);
}

static void object_json(struct json_writer *out, const struct counts_object *object, struct description *description)
{
	char *identity = description->woven ? store_identity(object->path) : NULL;
	json_open_object(out, NULL);
	json_add_string(out, "path", object->path);
	json_add_string(out, "build", identity);
	free(identity);
	describe_build_json(out, "weave", object->build);
	json_add_bool(out, "is_named", description->woven);
	json_open_array(out, "sites");
	for (uint32_t id = 0; id < object->site_count; id++) {
		uint64_t count = object->totals ? object->totals[id] : 0;
		struct woven_site site;
		bool is_site = description->woven && woven_site(description->woven, id, &site);
		if (!is_site && (description->woven || !count))
			continue;
		json_line(out);
		if (is_site) {
			describe_site_json(out, description, id, &site, &count);
			continue;
		}
		json_open_object(out, NULL);
		json_add_number(out, "id", id);
		json_add_number(out, "count", count);
		json_close_object(out);
	}
	json_close_array(out);
	json_close_object(out);
}

void hottest_json(struct buf *text, struct hottest *hottest, char **program)
{
	const struct counts *counts = hottest->counts;
	struct json_writer writer, *out = &writer;
	json_begin_report(out, text);
	json_add_string(out, "program", program[0]);
	json_add_vector(out, "arguments", program + 1);
	json_add_number(out, "processes", counts->process_count);
	json_add_number(out, "functions_switched", counts->switched_count);
	json_add_number(out, "objects_lost", counts->lost_objects);
	json_add_number(out, "accesses", hottest->access_count);
	json_add_number(out, "sites_hit", hottest->hit_count);
	json_add_number(out, "sites", hottest->site_count);
	json_line(out);
	json_open_array(out, "objects");
	for (size_t i = 0; i < counts->object_count; i++) {
		if (i)
			json_line(out);
		object_json(out, &counts->objects[i], &hottest->objects[i]);
	}
	json_close_array(out);
	json_end_file(out);
}
