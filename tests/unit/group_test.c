/* group_test.c: the rules of model/group.h, each with what it joins and what it must not join; see group.t. */
#include <stdio.h>
#include <string.h>

#include "model/group.h"

#define MAX_NODES 100u

static int number;

static void report(const char *name, bool is_right)
{
	printf("%sok %d - %s\n", is_right ? "" : "not ", ++number, name);
}

static void group(struct group_node *nodes, size_t count, size_t *order)
{
	static struct group_facet facets[MAX_NODES * GROUP_FACETS];
	group_findings(nodes, count, facets, order);
}

/* The groups in the order in which they are printed, their heads first: "1 0 | 2". */
static void describe(char *out, size_t room, struct group_node *nodes, size_t count)
{
	size_t order[MAX_NODES], used = 0;
	group(nodes, count, order);
	out[0] = '\0';
	for (size_t i = 0; i < count && used < room; i++) {
		bool is_head = nodes[order[i]].head == order[i];
		used += (size_t)snprintf(out + used, room - used, "%s%zu", !i ? "" : is_head ? " | " : " ", order[i]);
	}
}

/* Whether the nodes in the opposite order are in the same groups. */
static bool is_stable(const struct group_node *nodes, size_t count)
{
	struct group_node reversed[MAX_NODES];
	size_t order[MAX_NODES];
	for (size_t i = 0; i < count; i++) {
		reversed[i] = nodes[count - 1 - i];
		if (reversed[i].consequence != GROUP_NO_NODE)
			reversed[i].consequence = count - 1 - reversed[i].consequence;
	}
	group(reversed, count, order);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < count; j++)
			if ((nodes[i].head == nodes[j].head) !=
			    (reversed[count - 1 - i].head == reversed[count - 1 - j].head))
				return false;
	return true;
}

static void check(const char *name, struct group_node *nodes, size_t count, const char *expected)
{
	char text[1024];
	describe(text, sizeof text, nodes, count);
	report(name, strcmp(text, expected) == 0);
	if (strcmp(text, expected) != 0)
		printf("# %s, not %s\n", text, expected);
}

#define CHECK(name, expected, ...)                                                                                     \
	do {                                                                                                           \
		struct group_node all[] = { __VA_ARGS__ };                                                             \
		check(name, all, sizeof all / sizeof *all, expected);                                                  \
		report(name ", in any order", is_stable(all, sizeof all / sizeof *all));                               \
	} while (0)
#define NODE(word, ...) { .kind = FINDING_##word, .given = GROUP_NO_NODE, .consequence = GROUP_NO_NODE, __VA_ARGS__ }
#define RACE(...) NODE(DATA_RACE, __VA_ARGS__)
#define CLASS(word) .has_class = true, .class = VERDICT_##word
#define HARMFUL(failure, ...) { .kind = FINDING_DATA_RACE, CLASS(SPEC_VIOLATED), .given = GROUP_NO_NODE, .consequence = failure, __VA_ARGS__ }
#define FREED(at, from, by) .frees = { { at, from } }, .made = by
#define SIDES(a, fa, b, fb) .sides = { { .place = a, .function = fa, .caller = "" }, { .place = b, .function = fb, .caller = "" } }
#define COPY(a, from, b, fb)                                                                                           \
	.sides = { { .place = a, .function = "copy", .caller = from, .is_range = true },                               \
		   { .place = b, .function = fb, .caller = "" } }

static void check_frees(void)
{
	CHECK("one bad free: uses, a double free and a race", "1 2 3 0",
	      RACE(FREED("a.c:5", "", "a.c:1"), .object = "p->x"), NODE(MEMORY_ERROR, FREED("a.c:5", "", "a.c:1")),
	      NODE(MEMORY_ERROR, FREED("a.c:5", "", "a.c:1")),
	      NODE(MEMORY_ERROR, .frees = { { "a.c:9", "" }, { "a.c:5", "" } }, .made = "a.c:1"));
	CHECK("two frees", "0 | 1", NODE(MEMORY_ERROR, FREED("a.c:5", "", "a.c:1")), NODE(MEMORY_ERROR, FREED("a.c:6", "", "a.c:1")));
	CHECK("one function that frees, called from two places", "0 | 1", NODE(MEMORY_ERROR, FREED("a.c:5", "b.c:1", "a.c:1")),
	      NODE(MEMORY_ERROR, FREED("a.c:5", "b.c:2", "a.c:1")));
	CHECK("blocks of two allocations", "0 | 1", NODE(MEMORY_ERROR, FREED("a.c:5", "", "a.c:1")), NODE(MEMORY_ERROR, FREED("a.c:5", "", "a.c:2")));
	CHECK("a free that is not known", "0 | 1", NODE(MEMORY_ERROR, .made = "a.c:1"), NODE(MEMORY_ERROR, .made = "a.c:1"));
}

static void check_consequences(void)
{
	CHECK("a race and its consequence", "1 0", NODE(ASSERTION, .made = NULL), HARMFUL(0, .object = "x"));
	struct group_node two[] = { NODE(ASSERTION, .made = NULL), HARMFUL(0, .object = "x"), HARMFUL(0, .object = "y") };
	check("a consequence joins no two causes", two, 3, "1 0 | 2");
	CHECK("a consequence of two races of one cause", "1 2 0", NODE(ASSERTION, .made = NULL),
	      HARMFUL(0, SIDES("a.c:6", "f", "a.c:9", "g"), .object = "x"), HARMFUL(0, SIDES("a.c:7", "f", "a.c:9", "g"), .object = "x"));
	CHECK("no finding is its own consequence", "0", HARMFUL(0, .object = "x"));
}

static void check_operations(void)
{
	CHECK("one copy, races in one function", "0 1", RACE(COPY("a.c:5", "a.c:20", "a.c:30", "use"), .object = "c.a", .variable = "c"),
	      RACE(COPY("a.c:5", "a.c:20", "a.c:31", "use"), .object = "d.b", .variable = "d"));
	CHECK("one copy, races on one object", "0 1", RACE(COPY("a.c:5", "a.c:20", "a.c:30", "use"), .object = "c.a", .variable = "c"),
	      RACE(COPY("a.c:5", "a.c:20", "a.c:41", "print"), .object = "c.b", .variable = "c"));
	CHECK("one copy, races elsewhere", "0 | 1", RACE(COPY("a.c:5", "a.c:20", "a.c:30", "use"), .object = "c.a", .variable = "c"),
	      RACE(COPY("a.c:5", "a.c:20", "a.c:41", "print"), .object = "d.b", .variable = "d"));
	CHECK("one function that copies, called from two places", "0 | 1", RACE(COPY("a.c:5", "a.c:20", "a.c:30", "use"), .object = "c.a", .variable = "c"),
	      RACE(COPY("a.c:5", "a.c:21", "a.c:31", "use"), .object = "c.b", .variable = "c"));
	CHECK("a function is no object", "0 | 1", RACE(COPY("a.c:5", "", "a.c:30", "use"), .variable = "x"), RACE(COPY("a.c:5", "", "a.c:31", "x"), .variable = "use"));
	CHECK("an access that is no copy", "0 | 1", RACE(SIDES("a.c:5", "put", "a.c:30", "use"), .object = "c.a", .variable = "c"),
	      RACE(SIDES("a.c:5", "put", "a.c:31", "use"), .object = "c.b", .variable = "c"));
	struct group_node many[89];
	char places[89][16], objects[89][16];
	for (size_t i = 0; i < 89; i++) {
		snprintf(places[i], sizeof places[i], "a.c:%zu", 30 + i);
		snprintf(objects[i], sizeof objects[i], "c.m%zu", i);
		many[i] = (struct group_node)RACE(COPY("a.c:5", "", places[i], "use"), .object = objects[i], .variable = "c");
	}
	size_t order[89];
	group(many, 89, order);
	report("89 races of one copy", many[88].head == 0 && many[0].size == 89 && many[5].rules == 1u << GROUP_ONE_OPERATION);
}

static void check_objects(void)
{
	CHECK("one variable in the same functions", "0 1", RACE(SIDES("a.c:5", "put", "a.c:9", "get"), .object = "x"), RACE(SIDES("a.c:8", "get", "a.c:6", "put"), .object = "x"));
	CHECK("one variable in other functions", "0 | 1", RACE(SIDES("a.c:5", "put", "a.c:9", "get"), .object = "x"), RACE(SIDES("a.c:5", "put", "a.c:12", "peek"), .object = "x"));
	CHECK("two variables in one function", "0 | 1", RACE(SIDES("a.c:5", "put", "a.c:5", "put"), .object = "x"), RACE(SIDES("a.c:6", "put", "a.c:6", "put"), .object = "y"));
	CHECK("one name for blocks of two allocations", "0 | 1", RACE(SIDES("a.c:5", "put", "a.c:9", "get"), .object = "p->x", .made = "a.c:1"),
	      RACE(SIDES("a.c:6", "put", "a.c:9", "get"), .object = "p->x", .made = "a.c:2"));
	CHECK("memory without a name", "0 | 1", RACE(SIDES("a.c:5", "put", "a.c:9", "get")), RACE(SIDES("a.c:6", "put", "a.c:9", "get")));
}

static void check_failures(void)
{
	CHECK("two failures", "0 | 1", NODE(ASSERTION, .made = NULL), NODE(ASSERTION, .made = NULL));
	CHECK("the worst first", "5 | 4 | 1 | 3 | 0 | 6 | 2", RACE(.object = "a"), NODE(CRASH, .made = NULL), RACE(CLASS(HARMLESS)), NODE(OUTPUT_DIFFERS, .made = NULL),
	      NODE(MEMORY_ERROR, .made = NULL), RACE(CLASS(SPEC_VIOLATED), .made = NULL), RACE(CLASS(UNDECIDED)));
	CHECK("a group is as bad as its worst member", "2 0 | 1", RACE(CLASS(HARMLESS), SIDES("a.c:5", "f", "a.c:9", "g"), .object = "x"), RACE(CLASS(OUTPUT_DIFFERS)),
	      RACE(CLASS(SPEC_VIOLATED), SIDES("a.c:6", "f", "a.c:9", "g"), .object = "x"));
}

int main(void)
{
	check_frees();
	check_consequences();
	check_operations();
	check_objects();
	check_failures();
	struct group_node given[] = { NODE(CRASH, .made = NULL), NODE(HANG, .made = NULL), NODE(CRASH, .made = NULL) };
	given[2].given = 0;
	given[2].given_rules = 1u << GROUP_SAME_FREE;
	check("an earlier test's group", given, 3, "0 2 | 1");
	report("an earlier test's rules", given[0].rules == 1u << GROUP_SAME_FREE && given[1].rules == 0);
	printf("1..%d\n", number);
	return 0;
}
