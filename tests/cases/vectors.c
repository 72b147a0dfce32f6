/* Vector extensions, loops that the compiler vectorises, gathers and masks. */
#include <stdio.h>
#include <string.h>

typedef int v4i __attribute__((vector_size(16)));
typedef float v8f __attribute__((vector_size(32)));
typedef double v8d __attribute__((vector_size(64)));
typedef unsigned char v3c __attribute__((ext_vector_type(3)));
typedef _Bool vb __attribute__((ext_vector_type(8)));

v4i ints[8];
v8f floats[4];
v8d doubles[4];
v3c three[5];
vb mask;
float a[259], b[259], c[259];
int table[259], place[259];
unsigned char bytes[1027];
long long wide[67];
struct pair { int x, y; } pairs[101];

__attribute__((noinline)) void extensions(int n)
{
	for (int i = 0; i < n; i++) {
		ints[i] = (v4i){ i, i + 1, i * 2, 3 };
		ints[(i + 1) % 8] += ints[i] * 3;
		floats[i % 4] = floats[(i + 1) % 4] * 0.5f + (float)i;
		doubles[i % 4] = __builtin_shufflevector(doubles[(i + 2) % 4], doubles[i % 4], 0, 9, 2, 11, 4, 13, 6, 15) + 1.0;
		three[i % 5] = three[(i + 1) % 5] + (unsigned char)i;
		mask[i % 8] = i & 1;
	}
}
__attribute__((noinline)) void saxpy(int n, float k) { for (int i = 0; i < n; i++) c[i] = a[i] * k + b[i]; }
__attribute__((noinline)) void gather(int n) { for (int i = 0; i < n; i++) c[i] += a[place[i]]; }
__attribute__((noinline)) void scatter(int n) { for (int i = 0; i < n; i++) table[place[i]] = i; }
__attribute__((noinline)) void masked(int n) { for (int i = 0; i < n; i++) if (table[i] % 3 == 0) c[i] = b[i] + table[i]; }
__attribute__((noinline)) void masked_store(int n) { for (int i = 0; i < n; i++) if (a[i] > 50) b[i] = 1; }
__attribute__((noinline)) int sum(int n) { int s = 0; for (int i = 0; i < n; i++) s += bytes[i]; return s; }
__attribute__((noinline)) void invert(int n) { for (int i = 0; i < n; i++) bytes[i] = (unsigned char)~bytes[i]; }
__attribute__((noinline)) void strided(int n) { for (int i = 0; i < n; i++) pairs[i].x = pairs[i].y * 2 + 1; }
__attribute__((noinline)) void swap(int n) { for (int i = 0; i < n; i++) { int t = pairs[i].x; pairs[i].x = pairs[i].y; pairs[i].y = t; } }
__attribute__((noinline)) void back(int n) { for (int i = n - 1; i > 0; i--) wide[i] = wide[i - 1] + i; }
__attribute__((noinline)) int find(int what, int n) { for (int i = 0; i < n; i++) if (table[i] == what) return i; return -1; }

int main(void)
{
	for (int i = 0; i < 259; i++)
		a[i] = (float)i / 4, b[i] = (float)(i % 7), table[i] = i * 5, place[i] = i * 100 % 259;
	for (int i = 0; i < 1027; i++)
		bytes[i] = (unsigned char)(i * 13);
	for (int i = 0; i < 101; i++)
		pairs[i].y = i;
	extensions(8);
	for (int i = 0; i < 8; i++)
		printf("%d %d %d %d %d\n", ints[i][0], ints[i][1], ints[i][2], ints[i][3], mask[i]);
	for (int i = 0; i < 4; i++)
		printf("%g %g %g %g\n", floats[i][0], floats[i][7], doubles[i][1], doubles[i][6]);
	for (int n = 253; n < 260; n++) {
		saxpy(n, 1.5f), gather(n), scatter(n), masked(n), masked_store(n), strided(101), swap(100), back(67), invert(1027);
		double total = 0;
		for (int i = 0; i < 259; i++)
			total += c[i] * (i % 11) + b[i] + table[i];
		printf("%.3f %d %d %lld %d %d\n", total, sum(1027), pairs[50].x, wide[66], find(5 * n, n), three[2][1]);
	}
	return 0;
}
