/* vectors.c: what the optimiser makes of loops: several elements at a time, also under a mask. */
#include <immintrin.h>

#include "case.h"

#define N 64
static int a[N], b[N], c[2 * N];
static double d[N];
static int *volatile pa = a, *volatile pb = b, *volatile pc = c;

BODY(fill_low) { int *p = pa; for (int i = 0; i < N / 2; i++) p[i] = i; } // @fill_low
BODY(fill_high) { int *p = pa; for (int i = N / 2; i < N; i++) p[i] = i; } // @fill_high
BODY(fill_odd) { int *p = pa; for (int i = 5; i < N / 2 + 1; i++) p[i] = i; } // @fill_odd
BODY(add) { int *p = pa, *q = pb; for (int i = 0; i < N; i++) q[i] += p[i]; } // @add
BODY(reads_last) { (void)*(volatile int *)&a[N - 1]; } // @reads_last
BODY(writes_last) { *(volatile int *)&a[N - 1] = 1; } // @writes_last
BODY(writes_b) { *(volatile int *)&b[17] = 1; } // @writes_b
BODY(even) { int *p = pc; for (int i = 0; i < N; i++) p[2 * i] = i; } // @even
BODY(odd) { int *p = pc; for (int i = 0; i < N; i++) p[2 * i + 1] = i; } // @odd

CASE(halves) { threads(fill_low, fill_high); }
CASE(overlap) { threads(fill_odd, fill_high); }
CASE(loop_read) { threads(add, writes_last); }
CASE(loop_both_read) { threads(add, reads_last); }
CASE(loop_update) { threads(add, writes_b); }
CASE(strided) { threads(even, odd); }

/* Explicit: 32 bytes, aligned or not, and only some of the elements. */
__attribute__((target("avx2"))) static void store(int at) { _mm256_storeu_si256((__m256i *)(pa + at), _mm256_set1_epi32(1)); } // @store
__attribute__((target("avx2"))) static void store_masked(void)
{
	/* Elements 0 and 3. */
	_mm256_maskstore_epi32(pa, _mm256_set_epi32(0, 0, 0, 0, -1, 0, 0, -1), _mm256_set1_epi32(1)); // @store_masked
}
__attribute__((target("avx2"))) static int load_masked(void)
{
	return _mm256_extract_epi32(_mm256_maskload_epi32(pa, _mm256_set_epi32(0, 0, 0, 0, -1, 0, 0, -1)), 3); // @load_masked
}
BODY(store_1) { store(1); }
BODY(store_9) { store(9); }
BODY(store_8) { store(8); }
BODY(masked) { store_masked(); }
BODY(masked_read) { if (load_masked() == 77) abort(); }
BODY(writes_2) { *(volatile int *)&a[2] = 1; }
BODY(writes_3) { *(volatile int *)&a[3] = 1; } // @writes_3
CASE(stores_apart) { threads(store_1, store_9); }
CASE(stores) { threads(store_1, store_8); }
CASE(mask_beside) { threads(masked, writes_2); }
CASE(mask) { threads(masked, writes_3); }
CASE(mask_read_beside) { threads(masked_read, writes_2); }
CASE(mask_read) { threads(masked_read, writes_3); }

/* Sixteen bytes are two cells. */
BODY(pair) { _mm_store_pd(d, _mm_set1_pd(1)); } // @pair
BODY(second) { *(volatile double *)&d[1] = 1; } // @second
BODY(third) { *(volatile double *)&d[2] = 1; }
CASE(pair_second) { threads(pair, second); }
CASE(pair_third) { threads(pair, third); }

CASES(CHOICE(halves), CHOICE(overlap), CHOICE(loop_read), CHOICE(loop_both_read), CHOICE(loop_update), CHOICE(strided),
      CHOICE(stores_apart), CHOICE(stores), CHOICE(mask_beside), CHOICE(mask), CHOICE(mask_read_beside),
      CHOICE(mask_read), CHOICE(pair_second), CHOICE(pair_third))

/*
 * flags: -O2 -mavx2
 * needs: avx2
 * case halves: none
 * case overlap: fill_odd-fill_high
 * case loop_read: add-writes_last
 * case loop_both_read: none
 * case loop_update: add-writes_b
 * case strided: none
 * case stores_apart: none
 * case stores: store-store
 * case mask_beside: none
 * case mask: store_masked-writes_3
 * case mask_read_beside: none
 * case mask_read: load_masked-writes_3
 * case pair_second: pair-second
 * case pair_third: none
 */
