/*
 * switch-registers.c: threads that are switched at accesses, with values in different kinds of registers: x87, SSE, AVX,
 * AVX-512 and its masks, rounding modes, or none.
 */
#include <fenv.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 2000
#define KINDS 8

static volatile long cells[KINDS][8];
static int wrong[KINDS];

static void x87(int kind)
{
	for (int i = 0; i < STEPS; i++) {
		long double a = cells[kind][0] + 1.25L, b = cells[kind][1] * 3.0L;
		cells[kind][2] = i;
		long double c = a * b + cells[kind][2];
		cells[kind][3] = i;
		wrong[kind] |= c != a * b + i || a != 1.25L || b != 3.0L * cells[kind][1];
	}
}

static void sse(int kind)
{
	for (int i = 0; i < STEPS; i++) {
		__m128i a = _mm_set1_epi32(i), b = _mm_set1_epi32(i + 1);
		__asm__ volatile("" : "+x"(a), "+x"(b));
		cells[kind][2] = i;
		__asm__ volatile("" : "+x"(a), "+x"(b));
		a = _mm_add_epi32(a, b);
		cells[kind][3] = i;
		wrong[kind] |= _mm_movemask_epi8(_mm_cmpeq_epi32(a, _mm_set1_epi32(2 * i + 1))) != 0xffff;
	}
}

__attribute__((target("avx2"))) static void avx(int kind)
{
	for (int i = 0; i < STEPS; i++) {
		__m256i a = _mm256_set1_epi32(i), b = _mm256_set1_epi32(i + 1);
		__asm__ volatile("" : "+x"(a), "+x"(b));
		cells[kind][2] = i;
		__asm__ volatile("" : "+x"(a), "+x"(b));
		a = _mm256_add_epi32(a, b);
		cells[kind][3] = i;
		wrong[kind] |= _mm256_movemask_epi8(_mm256_cmpeq_epi32(a, _mm256_set1_epi32(2 * i + 1))) != -1;
	}
}

__attribute__((target("avx512f,avx512bw"))) static void avx512(int kind)
{
	for (int i = kind; i < STEPS; i++) {
		__m512i a = _mm512_set1_epi32(i), b = _mm512_set1_epi32(i + 1);
		__mmask16 mask = (__mmask16)(0xfffe << (i & 15));
		register __m512i upper __asm__("zmm29") = b;
		__asm__ volatile(""
				 : "+v"(a), "+v"(upper), "+Yk"(mask)); /* all of them are in registers at the access */
		cells[kind][2] = i;
		__asm__ volatile("" : "+v"(a), "+v"(upper), "+Yk"(mask));
		a = _mm512_mask_add_epi32(a, mask, a, upper);
		cells[kind][3] = i;
		int lanes = __builtin_popcount(_mm512_cmpeq_epi32_mask(a, _mm512_set1_epi32(2 * i + 1)));
		wrong[kind] |= lanes != 15 - (i & 15);
	}
}

static void rounding(int kind)
{
	fesetround(FE_UPWARD);
	for (int i = 0; i < STEPS; i++) {
		volatile double one = 1, three = 3;
		double up = one / three;
		cells[kind][2] = i;
		wrong[kind] |= up != one / three || fegetround() != FE_UPWARD;
	}
}

static void flags(int kind)
{
	feclearexcept(FE_ALL_EXCEPT);
	for (int i = 0; i < STEPS; i++) {
		cells[kind][2] = i;
		wrong[kind] |= fetestexcept(FE_ALL_EXCEPT) != 0;
	}
}

static void none(int kind)
{
	for (int i = 0; i < STEPS; i++)
		cells[kind][2] = i;
	wrong[kind] |= fegetround() != FE_TONEAREST;
}

static void *work(void *argument)
{
	int kind = (int)(long)argument;
	cells[kind][1] = kind;
	switch (kind) {
	case 0:
		x87(kind);
		break;
	case 1:
		sse(kind);
		break;
	case 2:
		(__builtin_cpu_supports("avx2") ? avx : sse)(kind);
		break;
	case 3:
	case 7:
		(__builtin_cpu_supports("avx512bw") ? avx512 : sse)(kind);
		break;
	case 4:
		rounding(kind);
		break;
	case 5:
		flags(kind);
		break;
	default:
		none(kind);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[KINDS];
	int bad = 0;
	for (long i = 0; i < KINDS; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)i) != 0)
			return 2;
	for (int i = 0; i < KINDS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < KINDS; i++)
		if (wrong[i])
			printf("kind %d is wrong\n", i), bad = 1;
	printf("done\n");
	return bad;
}

/*
 * expect: done
 * flags: -lm
 */
