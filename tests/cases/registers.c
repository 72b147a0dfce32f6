/* options: -lm -frounding-math */
/* Values that live in registers across accesses: all xmm registers, the x87 stack, the rounding mode, the red zone. */
#include <fenv.h>
#include <math.h>
#include <stdio.h>

double in[32], out[32];
float fin[32], fout[32];
long double lin[8], lout[8];
long longs[40];
char buffer[64];

__attribute__((noinline)) static void sixteen(void)
{
	double a = in[0], b = in[1], c = in[2], d = in[3], e = in[4], f = in[5], g = in[6], h = in[7];
	double i = in[8], j = in[9], k = in[10], l = in[11], m = in[12], n = in[13], o = in[14], p = in[15];
	double q = in[16], r = in[17], s = in[18], t = in[19];
	for (int x = 0; x < 10; x++) {
		a += b * out[0], b += c * out[1], c += d * out[2], d += e * out[3], e += f * out[4], f += g * out[5], g += h * out[6], h += i * out[7];
		i += j * out[8], j += k * out[9], k += l * out[10], l += m * out[11], m += n * out[12], n += o * out[13], o += p * out[14], p += q * out[15];
		q += r * 0.5, r += s * 0.5, s += t * 0.5, t += a * 1e-9;
		out[x] += 0.001 * x;
	}
	out[0] = a, out[1] = b, out[2] = c, out[3] = d, out[4] = e, out[5] = f, out[6] = g, out[7] = h, out[8] = i, out[9] = j;
	out[10] = k, out[11] = l, out[12] = m, out[13] = n, out[14] = o, out[15] = p, out[16] = q, out[17] = r, out[18] = s, out[19] = t;
}
__attribute__((noinline)) static void x87(void)
{
	long double a = lin[0], b = lin[1], c = lin[2], d = lin[3], e = lin[4], f = lin[5];
	for (int i = 0; i < 6; i++)
		a = a * b + lout[i], b = b / 3 + c, c = c - d * lout[(i + 1) % 6], d = d + e / 7, e = e * 1.01L - f, f += a, lout[i] = a + f;
	lout[6] = b + c, lout[7] = d * e;
}
__attribute__((noinline)) static long integers(const long *from, int n)
{
	long a = from[0], b = from[1], c = from[2], d = from[3], e = from[4], f = from[5], g = from[6], h = from[7], i = from[8], j = from[9], k = from[10], l = from[11], m = from[12], o = from[13];
	for (int x = 0; x < n; x++) {
		a += b ^ from[x], b += c * 3, c -= d, d ^= e + from[n - x], e += f, f = f * 5 + g, g ^= h, h += i, i -= j, j += k, k ^= l, l += m, m += o, o += a;
		longs[x % 40] += a + (b > c ? d : e);
	}
	return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + i * 9 + j * 10 + k * 11 + l * 12 + m * 13 + o * 14;
}
/* A leaf with a frame in the red zone. */
__attribute__((noinline)) static int leaf(int x)
{
	volatile int a[12];
	for (int i = 0; i < 12; i++)
		a[i] = x + i, buffer[i] += (char)a[i];
	int s = 0;
	for (int i = 0; i < 12; i++)
		s = s * 3 + a[i] + buffer[i];
	return s;
}
/* The carry flag lives across an access. */
__attribute__((noinline)) static unsigned long add_long(const unsigned long *a, const unsigned long *b, unsigned long *to, int n)
{
	unsigned long carry = 0;
	for (int i = 0; i < n; i++)
		to[i] = __builtin_addcl(a[i], b[i], carry, &carry);
	return carry;
}
__attribute__((noinline)) static unsigned __int128 wide(const unsigned __int128 *a, unsigned __int128 b) { return *a + b * *a; }
__attribute__((noinline)) static int compare(const int *p, int limit) { return *p > limit ? p[1] : *p < -limit ? p[2] : p[3] == 0; }

int main(void)
{
	for (int i = 0; i < 32; i++)
		in[i] = 1.0 / (i + 1), out[i] = (i % 5) * 0.01;
	for (int i = 0; i < 8; i++)
		lin[i] = 1.0L / (i + 2), lout[i] = i;
	for (int i = 0; i < 40; i++)
		longs[i] = i * 7 - 100;
	sixteen(), x87();
	for (int i = 0; i < 20; i++)
		printf("%.15g ", out[i]);
	for (int i = 0; i < 8; i++)
		printf("%.17Lg ", lout[i]);
	printf("\n%ld %d %d\n", integers(longs, 30), leaf(3), leaf(4));
	static const int modes[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
	for (int i = 0; i < 4; i++) {
		fesetround(modes[i]);
		in[0] = 1, in[1] = 3;
		out[0] = in[0] / in[1];
		lout[0] = lin[0] / 3;
		printf("%a %La %ld %d\n", out[0], lout[0], lrint(in[0] * 2.5), fegetround() == modes[i]);
	}
	fesetround(FE_TONEAREST);
	feclearexcept(FE_ALL_EXCEPT);
	in[2] = 0;
	out[2] = in[0] / in[2];
	printf("%d %d\n", fetestexcept(FE_DIVBYZERO) != 0, fetestexcept(FE_INVALID) != 0);
	unsigned long a[4] = { -1ul, -1ul, 5, -1ul }, b[4] = { 1, 0, -1ul, 0 }, sum[4];
	printf("%lu", add_long(a, b, sum, 4));
	printf(" %lx %lx %lx %lx\n", sum[0], sum[1], sum[2], sum[3]);
	unsigned __int128 w = (unsigned __int128)1 << 70 | 12345;
	w = wide(&w, 99);
	printf("%llx %llx\n", (unsigned long long)(w >> 64), (unsigned long long)w);
	int four[4] = { 5, 6, 7, 0 };
	printf("%d %d %d\n", compare(four, 4), compare(four, 9), compare(four + 1, 6));
	return 0;
}
