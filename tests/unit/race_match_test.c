/* race_match_test.c: race_match_test PROGRAM LOG: prints, for each pair of the log, the sites of both sides. */
#include <stdio.h>

#include "judge/race_match.h"

static void print_side(struct description *program, const struct race_match *match, size_t side)
{
	static const char *const words[] = { "none", "exact", "inexact", "guessed" };
	printf("  %s", words[match->how[side]]);
	for (size_t i = 0; i < match->pair.sides[side].count; i++) {
		struct buf out = { 0 };
		struct woven_site site;
		woven_site(program->woven, match->pair.sides[side].items[i].id, &site);
		describe_place(&out, site.file, site.record.line, site.record.column);
		buf_add_string(&out, " ");
		describe_access(&out, &site.record);
		printf("%s %s", i ? "," : ":", out.data);
		buf_release(&out);
	}
	printf("%s%s\n", match->reasons[side] ? "; " : "", match->reasons[side] ? match->reasons[side] : "");
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct woven *woven;
	struct race_log log;
	if (argc < 3)
		return 2;
	if (woven_open(argv[1], &woven, &err) < 0 || race_log_read(&log, argv[2], &err) < 0) {
		puts(err.message);
		return 1;
	}
	struct description program = { .woven = woven };
	struct race_matcher *matcher = race_matcher_new(&program, 1);
	struct race_match first = { 0 };
	for (size_t i = 0; i < log.pair_count; i++) {
		struct race_match match;
		race_match(matcher, &log.pairs[i], &match);
		printf("pair %zu%s\n", i + 1, i && site_pair_is_same(&first.pair, &match.pair) ? ", as the first" : "");
		print_side(&program, &match, 0);
		print_side(&program, &match, 1);
		if (i == 0)
			first = match;
		else
			race_match_release(&match);
	}
	race_match_release(&first);
	race_matcher_free(matcher);
	names_release(&program.names);
	race_log_release(&log);
	woven_free(woven);
	return 0;
}
