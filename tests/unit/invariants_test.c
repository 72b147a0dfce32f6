/* invariants_test.c: CASE: uses a module as it should be, or breaks one of its invariants. */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/program/whole.h"
#include "base/variables.h"
#include "explore/known.h"
#include "heddle/abi.h"
#include "store/sql.h"
#include "trace/section.h"

static bool is_case(const char *given, const char *name)
{
	return strcmp(given, name) == 0;
}

static int use_known(const char *name)
{
	struct known known = { 0 };
	struct heddle_channel *channel = mem_alloc(sizeof *channel);
	uint32_t given = 0, slot = known_add(&known, 0x1234567890abcdef, mem_alloc(1));
	if (is_case(name, "known-slot"))
		known_set_again(&known, 5, true);
	if (is_case(name, "known-given"))
		given = 9;
	if (is_case(name, "known-gone") || is_case(name, "known-owned"))
		known.keys[slot] = 0;
	if (!is_case(name, "known-gone")) {
		known_add(&known, 0x1234567890abcd00, mem_alloc(1));
		known_add(&known, 77, mem_alloc(1));
		known_add(&known, 77, mem_alloc(1));
		known_add(&known, 0, mem_alloc(1));
		if (is_case(name, "known-given"))
			known.count = 1;
		known_set_again(&known, slot, true);
		if (is_case(name, "known-zero"))
			known.keys[slot] = 0;
		known_put(&known, channel, &given);
		printf("%u known, %u given\n", known.count, given);
	}
	known_release(&known);
	free(channel);
	return 0;
}

/* A function of two blocks, the first of which stores 1 in a variable. */
static struct whole *make_whole(void)
{
	struct whole *whole = whole_new();
	uint32_t variable = whole_add_object(whole, WHOLE_GLOBAL);
	uint32_t function = whole_add_function(whole, "main");
	uint32_t blocks[2] = { whole_add_block(whole, function), whole_add_block(whole, function) };
	uint32_t store = whole_add_instruction(whole, WHOLE_STORE);
	whole_add_operand(whole, store, whole_address(whole, variable, 0));
	whole_add_operand(whole, store, whole_number(whole, 1));
	const struct whole_access access = { .instruction = store,
					     .pointer = whole->operands[0],
					     .tag = WHOLE_NONE,
					     .size_bytes = 4 };
	uint32_t number = whole_add_access(whole, &access);
	whole->instruction[store].function = function;
	whole->instruction[store].block = blocks[0];
	whole->instruction[store].first_access = number;
	whole->instruction[store].access_count = 1;
	whole->block[blocks[0]].first_instruction = store;
	whole->block[blocks[0]].instruction_count = 1;
	whole_add_successor(whole, blocks[0], blocks[1]);
	whole->function[function].is_defined = true;
	whole->function[function].first_block = blocks[0];
	whole->function[function].block_count = 2;
	whole->function[function].first_instruction = store;
	whole->function[function].instruction_count = 1;
	return whole;
}

static int use_whole(const char *name)
{
	struct whole *whole = make_whole();
	whole_verify(whole);
	if (is_case(name, "whole-block"))
		whole->function[0].block_count = 99;
	if (is_case(name, "whole-owner"))
		whole->block[1].function = 7;
	if (is_case(name, "whole-successor"))
		whole->successors[0] = 77;
	if (is_case(name, "whole-operand"))
		whole->operands[0] = 123;
	if (is_case(name, "whole-access"))
		whole->access[0].instruction = 9;
	if (is_case(name, "whole-code"))
		whole->object[whole->function[0].object].function = WHOLE_NONE;
	if (is_case(name, "whole-outside"))
		whole->object[0].kind = WHOLE_GLOBAL;
	if (is_case(name, "whole-address"))
		for (uint32_t i = 0; i < whole->value_count; i++)
			if (whole->value[i].kind == WHOLE_ADDRESS)
				whole->value[i].index = 1000;
	whole_verify(whole);
	puts("in order");
	whole_free(whole);
	return 0;
}

static int use_sql(const char *name)
{
	struct sql sql = { .path = ":memory:" };
	struct err err = ERR_INIT;
	if (sqlite3_open(":memory:", &sql.handle) != SQLITE_OK)
		return 1;
	if (is_case(name, "sql-end"))
		sql_end(&sql, 0, &err);
	else
		sql_run(&sql, &err, "SELECT 1", "i", (int64_t)1);
	return 0;
}

static int use_section(void)
{
	struct section_file file = { .fd = open("section", O_RDWR | O_CREAT | O_TRUNC, 0600), .path = "section" };
	struct err err = ERR_INIT;
	return section_write(&file, SECTION_BUILDS, 0, NULL, NULL, &err);
}

int main(int count, char **arguments)
{
	const char *name = count > 1 ? arguments[1] : "";
	struct strings list = { 0 };
	struct map map = { 0 };
	strings_add(&list, "PATH=/bin");
	if (strncmp(name, "known", 5) == 0)
		return strings_release(&list), use_known(name);
	if (strncmp(name, "whole", 5) == 0)
		return strings_release(&list), use_whole(name);
	if (strncmp(name, "sql", 3) == 0)
		return use_sql(name);
	if (is_case(name, "section-order"))
		return use_section();
	if (is_case(name, "strings-set"))
		strings_set(&list, 2, "x");
	if (is_case(name, "map-key"))
		map_set(&map, NULL, NULL);
	if (is_case(name, "variable-twice"))
		variables_add(&list, "PATH", "/usr/bin");
	return 1;
}
