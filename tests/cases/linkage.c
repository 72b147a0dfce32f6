/* options: -fcommon -rdynamic -lm */
/* units: 3 */
/* Three units of one source: weak and strong, aliases, statics of the same name, common, hidden, ifunc, constructors,
 * symbol versions. */
#include <stdio.h>

extern int order[16], order_count;
int common_variable;
int common_array[7];
#if UNIT != 2
__attribute__((weak)) int weak_function(void) { return -UNIT; }
__attribute__((weak)) int weak_variable = 1;
#endif
extern int nowhere(void) __attribute__((weak));
static int same = UNIT * 10;
static int same_function(int x) { static int inside; inside += x; return same += inside; }
__attribute__((visibility("hidden"))) extern int hidden_variable;
__attribute__((visibility("hidden"))) int hidden_function(int);
inline int inline_function(int x) { return x + 1; }

#if UNIT == 1
extern int inline_function(int x);
int order[16], order_count;
int two(int), three(int), aliased(int), alias(int), chosen(int), versioned(int), weak_alias(int), protected_function(int);
extern int alias_variable;
__attribute__((constructor(101))) static void early(void) { order[order_count++] = 101; }
__attribute__((constructor(65000))) static void late(void) { order[order_count++] = 65000; }
__attribute__((constructor)) static void usual(void) { order[order_count++] = 1; }
__attribute__((destructor)) static void leave(void) { printf("destructor %d\n", order_count); }
__attribute__((destructor(102))) static void leave_last(void) { printf("last destructor\n"); }
__attribute__((section("own_section"))) int in_section(int x) { return x + common_variable; }
__attribute__((section("own_data"))) int data_in_section = 3;
__attribute__((cold, noinline)) static int cold(int x) { return common_variable - x; }
__attribute__((used)) static int only_used(void) { return common_variable; }
int main(void)
{
	for (int i = 0; i < order_count; i++)
		printf("%d ", order[i]);
	printf("\n%d %d %d\n", weak_function(), weak_variable, nowhere != NULL);
	for (int i = 0; i < 3; i++)
		printf("%d %d %d\n", same_function(i), two(i), three(i));
	common_variable += 5, common_array[3] = 9;
	printf("%d %d %d\n", aliased(1), alias(2), alias_variable++);
	printf("%d %d %d\n", aliased(1), weak_alias(2), alias == aliased);
	printf("%d %d %d\n", chosen(4), versioned(5), protected_function(6));
	printf("%d %d %d %d\n", hidden_function(3), hidden_variable, inline_function(4), in_section(5) + data_in_section + cold(2));
	int (*pointers[])(int) = { two, three, aliased, alias, chosen, hidden_function, inline_function };
	int total = 0;
	for (unsigned i = 0; i < sizeof pointers / sizeof *pointers; i++)
		total += pointers[i](i);
	printf("%d %d\n", total, common_array[3]);
	return 0;
}
#elif UNIT == 2
int weak_function(void) { return 22 + common_variable; }
int weak_variable = 33;
int two(int x) { common_variable++; return same_function(x); }
int aliased(int x) { return common_variable += x; }
int alias(int x) __attribute__((alias("aliased")));
int weak_alias(int x) __attribute__((weak, alias("aliased")));
static int real_variable = 70;
extern int alias_variable __attribute__((alias("real_variable")));
__attribute__((constructor(200))) static void early(void) { order[order_count++] = 200; real_variable += 1; }
__attribute__((visibility("protected"))) int protected_function(int x) { return common_variable * x; }
#else
int three(int x) { common_array[x]++; return same_function(x) + weak_function(); }
int hidden_variable = 44;
int hidden_function(int x) { return hidden_variable += x; }
static int generic(int x) { return x + hidden_variable; }
static int (*resolve(void))(int) { return generic; }
int chosen(int x) __attribute__((ifunc("resolve")));
static int static_chosen(int x) __attribute__((ifunc("resolve")));
int versioned(int x) { return static_chosen(x) + 1; }
int old_version(int x) { return x - hidden_variable; }
__attribute__((constructor(150))) static void early(void) { order[order_count++] = 150; }
#endif
