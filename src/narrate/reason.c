/* reason.c: see reason.h. */
#include "narrate/reason.h"

#include <inttypes.h>

#include "symbols/line.h"
#include "symbols/names_short.h"

/* Lines that read the memory and are named. */
#define MAX_READERS 3u

static void tell_line(struct buf *out, const struct reason_line *line)
{
	if (line->file)
		line_add(out, line->file, line->line);
	else
		buf_add_string(out, "an unknown place");
}

static void tell_at(struct buf *out, const struct reason_look *look, const struct reason_access *access)
{
	buf_add_string(out, " at ");
	tell_line(out, &look->lines[access->place - 1]);
}

static void tell_object(struct buf *out, struct scene *scene, const struct report_race *race)
{
	struct scene_place a, b;
	scene_place(scene, race->earlier.place, &a);
	scene_place(scene, race->later.place, &b);
	scene_describe_object(out, scene, race->address, &a, &b);
}

static void describe_wait(struct buf *out, const struct reason_look *look, struct scene *scene)
{
	const struct reason *reason = &look->reason;
	buf_format(out, "user-constructed synchronisation: thread %" PRIu32 " reads ", reason->read->thread);
	tell_object(out, scene, &look->race);
	buf_add_string(out, " in a loop");
	tell_at(out, look, reason->read);
	buf_format(out, " until thread %" PRIu32 " writes it", reason->write->thread);
	tell_at(out, look, reason->write);
}

static void tell_double_check(struct buf *out, const struct reason_look *look, struct scene *scene)
{
	const struct reason *reason = &look->reason;
	struct buf lock = { 0 };
	const bool has_name = symbols_describe_object(&lock, scene->symbols, reason->lock);
	buf_add_string(out, "double check: after the read");
	tell_at(out, look, reason->read);
	buf_format(out, " thread %" PRIu32 " reads it again", reason->again->thread);
	tell_at(out, look, reason->again);
	buf_format(out, " holding %s, which each write", has_name ? lock.data : "a lock");
	tell_at(out, look, reason->write);
	buf_add_string(out, " holds, too");
	buf_release(&lock);
}

static void tell_redundant_write(struct buf *out, const struct reason_look *look)
{
	const struct reason *reason = &look->reason;
	buf_add_string(out, "redundant write: ");
	if (reason->read) {
		buf_add_string(out, "the write");
		tell_at(out, look, reason->write);
		buf_add_string(out, " writes what is there already");
		return;
	}
	buf_add_string(out, "both threads write ");
	finding_describe_value(out, reason->values[0]);
}

static void tell_disjoint_bits(struct buf *out, const struct reason_look *look)
{
	const struct reason *reason = &look->reason;
	buf_add_string(out, "disjoint bits: ");
	if (!reason->read) {
		buf_format(out, "threads change different bits, 0x%" PRIx64 " and 0x%" PRIx64, reason->used_bits,
			   reason->changed_bits);
		return;
	}
	buf_add_string(out, "the read");
	tell_at(out, look, reason->read);
	buf_format(out, " uses only the bits 0x%" PRIx64 ", and the write", reason->used_bits);
	tell_at(out, look, reason->write);
	buf_format(out, " changes only 0x%" PRIx64, reason->changed_bits);
}

static void tell_both_values(struct buf *out, const struct reason_look *look)
{
	const struct reason *reason = &look->reason;
	buf_add_string(out, "both values are valid: ");
	if (reason->read) {
		buf_add_string(out, "the read");
		tell_at(out, look, reason->read);
		buf_add_string(out, " gets ");
	} else {
		buf_add_string(out, "threads write ");
	}
	finding_describe_value(out, reason->values[0]);
	buf_add_string(out, reason->read ? " in one order and " : " and ");
	finding_describe_value(out, reason->values[1]);
	buf_add_string(out, reason->read ? " in the other, and both end alike" : ", and both orders end alike");
}

/* is_counted: reads that only serve to write it again do not count. */
static void tell_readers(struct buf *out, const struct reason_look *look, bool is_counted)
{
	size_t count = 0, told = 0;
	for (size_t i = 0; i < look->line_count; i++)
		count += is_counted ? look->lines[i].is_read_more : look->lines[i].is_read;
	buf_add_string(out, count ? " is read only at " : is_counted ? " is read for nothing else" : " is never read");
	for (size_t i = 0; i < look->line_count && told < MAX_READERS; i++) {
		const struct reason_line *line = &look->lines[i];
		if (!(is_counted ? line->is_read_more : line->is_read))
			continue;
		buf_add_string(out, told == 0 ? "" : told + 1 == count ? " and " : ", ");
		tell_line(out, line);
		if (line->function) {
			buf_add_string(out, " in ");
			names_add_short(out, line->function);
		}
		told++;
	}
	if (count > told)
		buf_format(out, " and %zu more line%s", count - told, count - told == 1 ? "" : "s");
}

void reason_tell(struct buf *out, const struct reason_look *look, struct scene *scene)
{
	switch (look->reason.reason) {
	case REASON_USER_SYNCHRONISATION:
		describe_wait(out, look, scene);
		break;
	case REASON_DOUBLE_CHECK:
		tell_double_check(out, look, scene);
		break;
	case REASON_REDUNDANT_WRITE:
		tell_redundant_write(out, look);
		break;
	case REASON_DISJOINT_BITS:
		tell_disjoint_bits(out, look);
		break;
	case REASON_APPROXIMATE:
		buf_add_string(out,
			       "approximate computation: threads read it only to write what they compute from it, so "
			       "that an update may be lost");
		break;
	case REASON_BOTH_VALUES_VALID:
		tell_both_values(out, look);
		break;
	case REASON_NONE:
	case REASON_COUNT:
		return;
	}
	buf_add_string(out, ". In these runs ");
	tell_object(out, scene, &look->race);
	tell_readers(out, look, look->reason.reason == REASON_APPROXIMATE);
}
