/* options: -fno-semantic-interposition */
/* Calling conventions and attributes: each must keep its registers and its meaning in a clone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cell, table[8];
double real;
__attribute__((ms_abi, noinline)) int windows(int a, double b, int c, double d, int e, int f) { cell += a; real += b; return a + (int)b * c + (int)d * e + f + cell; }
__attribute__((vectorcall, noinline)) double vector(double a, double b, double c, double d, double e, double f, double g) { real += a; return a + b * c + d * e + f * g + real; }
__attribute__((regcall, noinline)) int regs(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j) { cell += j; return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + cell; }
__attribute__((preserve_most, noinline)) void most(int x) { table[x & 7] += x; }
__attribute__((preserve_all, noinline)) void all(int x) { table[x & 7] -= x; }
__attribute__((noinline)) long keeps(long a, long b, long c, long d, long e, long f)
{
	double x = a * 0.5, y = b * 0.25, z = c * 0.125;
	for (int i = 0; i < 5; i++)
		most(i), all(i + 1), a += b, b += c, c += d, d += e, e += f, x += y, y += z;
	return a + b + c + d + e + f + (long)(x + y + z);
}
__attribute__((no_caller_saved_registers, target("general-regs-only"), noinline)) void saver(int x) { cell ^= x; }
__attribute__((target("sse4.2"), noinline)) int targeted(unsigned x) { cell++; return __builtin_popcount(x) + cell; }
__attribute__((target_clones("default", "avx2", "arch=x86-64-v3"))) int cloned(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s + cell; }
__attribute__((flatten)) int flat(int x) { return targeted((unsigned)x) + cell; }
__attribute__((optnone, noinline)) int slow(int x) { int y = x + cell; return y; }
__attribute__((minsize, noinline)) int small(int x) { return x * 3 + cell; }
__attribute__((pure, noinline)) int pure(int x) { return table[x & 7] + x; }
__attribute__((const, noinline)) int constant(int x) { return x * x; }
__attribute__((noreturn, noinline)) static void leave(int x) { printf("leave %d\n", x + cell); exit(x); }
__attribute__((returns_nonnull, malloc, noinline)) static int *make(int n) { int *p = calloc((size_t)n, sizeof *p); p[0] = n; return p; }
static void clean(int **p) { cell += (*p)[0]; free(*p); }
__attribute__((noinline)) static int cleanup(int n) { __attribute__((cleanup(clean))) int *p = make(n); return p[0] * 2; }
__attribute__((gnu_inline)) extern inline int gnu(int x) { return x + 100; }
int gnu(int x) { return x + 200 + cell; }
static int weakly(int) __attribute__((weakref("referred")));
int referred(int x) { return cell * x; }
int oldstyle(a, b) int a; char b; { return a + b + cell; }
__attribute__((aligned(64), noinline)) int aligned_function(int x) { return x - cell; }
__attribute__((nocf_check, noinline)) int unchecked(int x) { return cell + x; }
__attribute__((disable_sanitizer_instrumentation, noinline)) int excluded(int x) { return cell += x; }
__attribute__((no_stack_protector, noinline)) int copies(const char *t) { char b[64]; strcpy(b, t); return b[1] + cell; }
struct flexible { int n; int data[]; };
__attribute__((noinline)) static int flexible(struct flexible *f) { int s = 0; for (int i = 0; i < f->n; i++) s += f->data[i]++; return s; }
struct empty {};
__attribute__((noinline)) static struct empty nothing(struct empty e, int *p) { ++*p; return e; }
typedef struct { long double a; char b; } odd;
__attribute__((noinline)) static odd odds(odd x, odd *y) { odd t = *y; *y = x; t.b++; return t; }
/* Linker sets. */
struct entry { const char *name; int (*run)(int); };
#define ENTRY(f) static const struct entry entry_##f = { #f, f }; \
	__attribute__((used, section("entries"))) static const struct entry *const pointer_##f = &entry_##f
ENTRY(slow); ENTRY(small); ENTRY(referred); ENTRY(excluded);
extern const struct entry *const __start_entries[], *const __stop_entries[];
static void preinit(void) { cell = 1; }
__attribute__((used, section(".preinit_array"))) static void (*const before_all)(void) = preinit;

int main(void)
{
	printf("%d %g\n", windows(1, 2.5, 3, 4.5, 5, 6), vector(1, 2, 3, 4, 5, 6, 7));
	printf("%d %ld\n", regs(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), keeps(1, 2, 3, 4, 5, 6));
	saver(6);
	printf("%d %d %d\n", targeted(255), cloned(table, 8), flat(15));
	printf("%d %d %d %d\n", slow(1), small(2), pure(3), constant(4));
	printf("%d %d\n", cleanup(9), cell);
	printf("%d %d %d %d\n", gnu(1), weakly(2), oldstyle(3, 4), aligned_function(5));
	printf("%d %d %d\n", unchecked(6), excluded(7), copies("text"));
	struct flexible *f = malloc(sizeof *f + 5 * sizeof(int));
	f->n = 5;
	for (int i = 0; i < 5; i++)
		f->data[i] = i * i;
	int first = flexible(f), second = flexible(f);
	printf("%d %d\n", first, second);
	nothing((struct empty){}, &cell);
	odd a = { 1.5L, 2 }, b = { 3.25L, 4 }, c = odds(a, &b);
	printf("%Lg %d %Lg %d\n", b.a, b.b, c.a, c.b);
	for (const struct entry *const *e = __start_entries; e < __stop_entries; e++)
		printf("%s %d\n", (*e)->name, (*e)->run(cell));
	leave(5);
}
