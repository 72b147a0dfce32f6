/* candidate_pairs_test.c: candidate_pairs_test MOST LEAST_SCORE PROGRAM: prints the candidates of a program as pairs of sites. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "candidates/candidates.h"

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct buf text = { 0 }, messages = { 0 };
	struct static_sites list;
	if (argc != 4)
		return 2;
	struct static_options options = { .least_score = strtoull(argv[2], NULL, 10), .is_all = true, .is_quiet = true };
	struct analysis analysis = { .paths = argv + 3, .program_count = 1 };
	if (static_open(&analysis, &err) < 0 || static_run(&analysis, &options, NULL, &text, &messages, &err) != 0 ||
	    static_read(&analysis, &text, &err) < 0) {
		printf("%s\n", err.message);
		return 1;
	}
	static_pairs(&analysis, &options, strtoull(argv[1], NULL, 10), &list);
	for (size_t i = 0; i < list.count; i++) {
		printf("%u", list.items[i].candidate->score);
		for (size_t side = 0; side < 2; side++) {
			struct woven_site site;
			struct buf out = { 0 };
			woven_site(analysis.programs[0].woven, list.items[i].pair.sides[side].items[0].id, &site);
			describe_place(&out, site.file, site.record.line, 0);
			printf(" %s", out.data);
			buf_release(&out);
		}
		printf("\n");
	}
	printf("%zu, without sites %" PRIu64 "\n", list.count, list.without_sites);
	static_pairs_release(&list);
	static_release(&analysis);
	buf_release(&text);
	buf_release(&messages);
	return 0;
}
