/* models_test.c: prints the names of all models; with --check looks at every row. */
#include <stdio.h>
#include <string.h>

#include "analysis/models/models.h"

int main(int argc, char **argv)
{
	const struct model *row;
	int failed = 0;
	bool is_check = argc > 1 && strcmp(argv[1], "--check") == 0;
	for (uint32_t i = 0; (row = model_row(i)); i++) {
		if (!is_check)
			puts(row->name);
		const struct model *found = model_find(row->name);
		bool has_block = false;
		for (unsigned k = 0; k < MODEL_MAX_STEPS; k++)
			has_block |= row->steps[k].flow == MODEL_ALLOCATE && row->steps[k].to == MODEL_RETURN;
		const char *fault = !found || strcmp(found->name, row->name) != 0 ? "is not found"
				    : row->is_allocator && !has_block		     ? "returns no block"
				    : row->sync == MODEL_CREATE && row->routine < 0  ? "starts nothing"
				    : row->sync == MODEL_LOCK && row->object < -1    ? "locks nothing"
										     : NULL;
		if (fault && is_check)
			printf("%s %s\n", row->name, fault);
		failed |= fault && is_check;
	}
	return failed;
}
