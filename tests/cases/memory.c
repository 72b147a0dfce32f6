/* Loads and stores of all sizes and alignments, bit-fields, packed and odd structures, and the memory functions. */
#include <complex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash = 1469598103934665603u;

__attribute__((noinline)) static void mix(const void *data, size_t size)
{
	const unsigned char *bytes = data;
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * 1099511628211u;
}

static void report(const char *name)
{
	printf("%s %016llx\n", name, (unsigned long long)hash);
}

uint8_t g8[4];
uint16_t g16[4];
uint32_t g32[4];
uint64_t g64[4];
unsigned __int128 g128[4];
float gf[4];
double gd[4];
long double gld[4];
_Complex float gcf[2];
_Complex double gcd[2];
_Complex long double gcld[2];
_Bool gb[4];
void *gp[4];

#define SCALAR(name, array, start) \
	__attribute__((noinline)) static void name(int n) \
	{ \
		array[0] = start; \
		for (int i = 1; i < n; i++) \
			array[i] = array[i - 1] + array[i - 1] / 3 + 1; \
	}
SCALAR(do8, g8, 7)
SCALAR(do16, g16, 700)
SCALAR(do32, g32, 70000)
SCALAR(do64, g64, 7000000000u)
SCALAR(do128, g128, (unsigned __int128)7000000000u << 40)
SCALAR(dof, gf, 0.5f)
SCALAR(dod, gd, 0.25)
SCALAR(dold, gld, 0.125L)

struct bits {
	unsigned a : 3, b : 7, c : 1;
	signed d : 5;
	unsigned long long e : 40, f : 24;
	unsigned : 0;
	unsigned char g : 2;
} bits[3];

struct __attribute__((packed)) packed {
	char a;
	uint16_t b;
	char c;
	uint32_t d;
	char e;
	uint64_t f;
	char g;
	double h;
	long double i;
	unsigned __int128 j;
} packed[3];

struct s3 { char c[3]; } a3, b3;
struct s5 { char c[5]; } a5, b5;
struct s7 { short s; char c[5]; } a7, b7;
struct s9 { char c[9]; } a9, b9;
struct s17 { char c[17]; } a17, b17;
struct s24 { long l[3]; } a24, b24;
struct s33 { char c[33]; } a33, b33;
struct s100 { char c[99]; char last; } a100, b100;
struct s1000 { long l[125]; } a1000, b1000;

#define COPY(n) \
	__attribute__((noinline)) static struct s##n by_value##n(struct s##n s) \
	{ \
		((char *)&s)[0] ^= 1; \
		((char *)&s)[sizeof s - 1] ^= 2; \
		return s; \
	} \
	__attribute__((noinline)) static void copy##n(struct s##n *to, const struct s##n *from) \
	{ \
		*to = *from; \
		mix(to, sizeof *to); \
		*to = by_value##n(*from); \
		mix(to, sizeof *to); \
	}
COPY(3) COPY(5) COPY(7) COPY(9) COPY(17) COPY(24) COPY(33) COPY(100) COPY(1000)

union both { uint32_t i; float f; char c[4]; } both;

char room[512];

__attribute__((noinline)) static void functions(size_t n, size_t at)
{
	memset(room, 'x', 100);
	memset(room + at, (int)n, n);
	memcpy(room + 200, room, 64);
	memcpy(room + 300, room + at, n);
	memmove(room + 1, room, 99);
	memmove(room + at, room + at + 3, n);
	memmove(room + at + 3, room + at, n);
	memcpy(room + 400, room + 1, 0);
	memset(room, 'q', n - n);
	memcpy(room + 410, "a constant", 10);
	memcpy(room + 430, room + 410, 16);
	strcpy(room + 450, "text");
	strncat(room + 450, " and more", 5);
	__builtin_memcpy(room + 480, room + 410, 3);
	void *end = mempcpy(room + 490, room + 410, n % 7);
	printf("%td ", (char *)end - room);
	mix(room, sizeof room);
}

int main(void)
{
	do8(4), do16(4), do32(4), do64(4), do128(4), dof(4), dod(4), dold(4);
	mix(g8, sizeof g8), mix(g16, sizeof g16), mix(g32, sizeof g32), mix(g64, sizeof g64), mix(g128, sizeof g128);
	mix(gf, sizeof gf), mix(gd, sizeof gd);
	for (int i = 0; i < 4; i++)
		mix(&gld[i], 10);
	report("scalars");
	for (int i = 0; i < 4; i++)
		gb[i] = i & 1, gp[i] = &gp[3 - i];
	printf("%d %d %d\n", gb[1], gb[2], gp[0] == &gp[3]);
	gcf[0] = 1 + 2 * I, gcf[1] = gcf[0] * gcf[0];
	gcd[0] = 1 + 3 * I, gcd[1] = gcd[0] * gcd[0];
	gcld[0] = 1 + 4 * I, gcld[1] = gcld[0] * gcld[0];
	printf("%g %g %g %g %Lg %Lg\n", crealf(gcf[1]), cimagf(gcf[1]), creal(gcd[1]), cimag(gcd[1]), creall(gcld[1]), cimagl(gcld[1]));
	for (int i = 0; i < 3; i++) {
		bits[i].a = i + 2, bits[i].b = 100 + i, bits[i].c = i, bits[i].d = -i - 3, bits[i].e = 1ull << (30 + i);
		bits[i].f = bits[i].e >> 20, bits[i].g = bits[i].a + bits[i].c, bits[i].b += bits[i].d;
		printf("%d %d %d %d %llx %x %d\n", bits[i].a, bits[i].b, bits[i].c, bits[i].d, (unsigned long long)bits[i].e, (unsigned)bits[i].f, bits[i].g);
	}
	for (int i = 0; i < 3; i++) {
		packed[i].a = 1, packed[i].b = 2 + i, packed[i].c = 3, packed[i].d = 4 * i, packed[i].e = 5, packed[i].f = 6ull << (i * 9);
		packed[i].g = 7, packed[i].h = 8.5 * i, packed[i].i = 9.25L, packed[i].j = packed[i].f * (unsigned __int128)packed[i].f;
	}
	packed[1] = packed[2];
	printf("%d %d %g %Lg %d %zu\n", packed[1].b, packed[1].d, packed[1].h, packed[1].i, (int)(packed[1].j >> 30), sizeof packed);
	for (int i = 0; i < 1000; i++)
		((char *)&a1000)[i] = (char)(i * 7);
	memcpy(&a3, &a1000, 3), memcpy(&a5, &a1000, 5), memcpy(&a7, &a1000, 7), memcpy(&a9, &a1000, 9), memcpy(&a17, &a1000, 17);
	memcpy(&a24, &a1000, 24), memcpy(&a33, &a1000, 33), memcpy(&a100, &a1000, 100);
	copy3(&b3, &a3), copy5(&b5, &a5), copy9(&b9, &a9), copy17(&b17, &a17), copy24(&b24, &a24), copy33(&b33, &a33);
	copy100(&b100, &a100), copy1000(&b1000, &a1000);
	b7 = by_value7(a7);
	mix(b7.c, 5);
	report("structures");
	both.f = 1.5f;
	both.c[0] |= 1;
	printf("%08x\n", both.i);
	/* Every size at every alignment. */
	char *heap = calloc(64, 1);
	for (int at = 0; at < 17; at++) {
		*(volatile uint16_t *)(heap + at) = 0x1122 + at;
		typedef uint32_t u32 __attribute__((aligned(1)));
		typedef uint64_t u64 __attribute__((aligned(1)));
		typedef unsigned __int128 u128 __attribute__((aligned(1)));
		*(u32 *)(heap + at + 3) = 0x11223344u + at;
		*(u64 *)(heap + at + 9) = *(u32 *)(heap + at + 2) * 77ull;
		*(u128 *)(heap + at + 20) = (u128) * (u64 *)(heap + at) * 3;
		mix(heap + at, 36);
	}
	free(heap);
	report("alignments");
	for (size_t n = 0; n < 40; n += 3)
		functions(n, 5 + n);
	report("functions");
	return 0;
}
