/* options: -march=x86-64-v4 -mprefer-vector-width=512 */
/* needs: avx512f avx512bw avx512dq avx512vl avx512cd */
/* The vector case with AVX-512: masks in registers of their own, scatters, compressed stores, 64-byte accesses. */
#include "vectors.c"
