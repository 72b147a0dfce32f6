/* options: -mavx2 -mfma */
/* needs: avx2 */
/* The vector case with AVX2: masked loads and stores, gathers, 32-byte accesses. */
#include "vectors.c"
