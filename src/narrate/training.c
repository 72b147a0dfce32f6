/* training.c: see training.h. */
#include "narrate/training.h"

void training_json(struct json_writer *out, const struct learned *learned)
{
	struct learned_totals totals = learned_totals(learned);
	json_open_object(out, "training");
	json_add_number(out, "runs", learned->run_count);
	json_add_number(out, "places", totals.places);
	json_add_number(out, "selected_places", totals.selected);
	json_add_number(out, "histories", learned->history_count);
	json_add_number(out, "members", totals.members);
	json_open_array(out, "gains");
	for (size_t i = 0; i < learned->gain_count; i++)
		json_add_number(out, NULL, learned->gains[i]);
	json_close_array(out);
	json_close_object(out);
}

void training_document(struct buf *out, const struct learned *learned, char *const *program, const char *path)
{
	struct json_writer writer, *json = &writer;
	json_begin_report(json, out);
	json_add_string(json, "program", program[0]);
	json_add_vector(json, "arguments", program);
	json_add_bool(json, "trained", true);
	json_add_string(json, "training_data", path);
	json_add_number(json, "schedules", 0);
	json_line(json);
	training_json(json, learned);
	json_line(json);
	json_open_array(json, "findings");
	json_close_array(json);
	json_end_file(json);
}
