/* options: -mavx2 */
/* needs: avx2 */
/* The intrinsics that touch memory: masked, gathered, streaming, unaligned. */
#include <immintrin.h>
#include <stdio.h>

_Alignas(64) int source[32], target[32];
_Alignas(64) float reals[32];
_Alignas(64) unsigned char bytes[64], out[64];
int places[8] = { 7, 0, 3, 3, 12, 30, 1, 2 };

__attribute__((noinline)) void run(int n)
{
	__m256i mask = _mm256_set_epi32(-1, 0, -1, 0, n > 3 ? -1 : 0, -1, 0, -1);
	__m256i v = _mm256_maskload_epi32(source + n, mask);
	_mm256_maskstore_epi32(target + n, mask, _mm256_add_epi32(v, _mm256_set1_epi32(n)));
	__m256i at = _mm256_loadu_si256((const __m256i *)places);
	__m256i g = _mm256_i32gather_epi32(source, at, 4);
	_mm256_storeu_si256((__m256i *)(target + 9), _mm256_add_epi32(g, _mm256_loadu_si256((const __m256i *)(target + 9))));
	__m256i gm = _mm256_mask_i32gather_epi32(v, source + 1, at, mask, 4);
	_mm256_storeu_si256((__m256i *)(target + 20), gm);
	_mm_stream_si128((__m128i *)(target + 28), _mm256_castsi256_si128(g));
	_mm_stream_si32(target + 3, n * 3);
	_mm_sfence();
	__m128 f = _mm_loadl_pi(_mm_load_ss(reals), (const __m64 *)(reals + 4));
	_mm_storeh_pi((__m64 *)(reals + 8), _mm_add_ps(f, _mm_set1_ps(1)));
	_mm256_storeu_ps(reals + 13, _mm256_broadcast_ss(reals + 2));
	_mm_maskmoveu_si128(_mm_loadu_si128((const __m128i *)(bytes + 3)), _mm_set1_epi16((short)0x80), (char *)out + n);
	_mm_clflush(out);
	_mm_prefetch((const char *)source, _MM_HINT_T0);
	unsigned csr = _mm_getcsr();
	_mm_setcsr(csr);
	_mm_lfence();
	_mm_mfence();
}

int main(void)
{
	for (int i = 0; i < 32; i++)
		source[i] = i * i + 1, reals[i] = (float)i / 2;
	for (int i = 0; i < 64; i++)
		bytes[i] = (unsigned char)(i * 5);
	for (int n = 0; n < 8; n++)
		run(n);
	for (int i = 0; i < 32; i++)
		printf("%d %g %d %d\n", target[i], reals[i], out[i], out[i + 32]);
	return 0;
}
