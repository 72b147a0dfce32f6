/* options: -mcx16 -latomic */
/* C11 atomics of every size and order, compare and exchange that succeeds and that fails, fences, volatile. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#define EACH_ORDER(do) do(relaxed) do(acquire) do(release) do(acq_rel) do(seq_cst)
#define SIZE(name, type) \
	_Atomic type name; \
	__attribute__((noinline)) static void test_##name(type start) \
	{ \
		atomic_store_explicit(&name, start, memory_order_relaxed); \
		atomic_store_explicit(&name, atomic_load_explicit(&name, memory_order_relaxed) + 1, memory_order_release); \
		atomic_store_explicit(&name, atomic_load_explicit(&name, memory_order_acquire) + 2, memory_order_seq_cst); \
		type seen = atomic_load(&name), sum = 0; \
		sum += atomic_fetch_add_explicit(&name, 3, memory_order_relaxed); \
		sum += atomic_fetch_sub_explicit(&name, 1, memory_order_acquire); \
		sum += atomic_fetch_or_explicit(&name, 0x10, memory_order_release); \
		sum += atomic_fetch_and_explicit(&name, (type)~(type)0x20, memory_order_acq_rel); \
		sum += atomic_fetch_xor_explicit(&name, 0x05, memory_order_seq_cst); \
		sum += atomic_exchange_explicit(&name, (type)(sum + 9), memory_order_acq_rel); \
		type expected = (type)(atomic_load(&name) + 1); \
		int failed = !atomic_compare_exchange_strong_explicit(&name, &expected, 5, memory_order_acq_rel, memory_order_relaxed); \
		int done = atomic_compare_exchange_strong_explicit(&name, &expected, (type)(expected ^ 0x33), memory_order_seq_cst, memory_order_acquire); \
		expected = atomic_load(&name); \
		while (!atomic_compare_exchange_weak_explicit(&name, &expected, (type)(expected + 4), memory_order_release, memory_order_relaxed)) \
			; \
		type nand = __atomic_fetch_nand((type *)&name, 0x0f, __ATOMIC_SEQ_CST); \
		name++, ++name, name += 7, name -= 2, name |= 1; \
		printf(#name " %llu %llu %d %d %llu %llu\n", (unsigned long long)seen, (unsigned long long)sum, failed, done, \
		       (unsigned long long)nand, (unsigned long long)atomic_load(&name)); \
	}
SIZE(one, uint8_t)
SIZE(two, uint16_t)
SIZE(four, uint32_t)
SIZE(eight, uint64_t)

_Atomic _Bool flag;
_Atomic(int *) pointer;
_Atomic float real;
_Atomic double dreal;
atomic_flag lock = ATOMIC_FLAG_INIT;
struct pair { uint64_t a, b; };
_Alignas(16) struct pair wide;
_Atomic struct small { short a, b, c; } small;
volatile int vi;
volatile struct { int a : 4; long b; } vs;
volatile double vd;
int array[4];

__attribute__((noinline)) static int bits(int n)
{
	int r = 0;
	r += __sync_fetch_and_add(&array[n], 3);
	r += __sync_add_and_fetch(&array[n], 4);
	r += __sync_bool_compare_and_swap(&array[n], 7, 70);
	r += __sync_val_compare_and_swap(&array[n], 7, 71);
	r += __sync_lock_test_and_set(&array[n], 9);
	__sync_lock_release(&array[n]);
	__sync_synchronize();
	r += (int)(__atomic_fetch_or(&array[n], 1 << n, __ATOMIC_SEQ_CST) >> n & 1);
	r += (int)(__atomic_fetch_and(&array[n], ~(1 << n), __ATOMIC_SEQ_CST) >> n & 1);
	r += __atomic_fetch_max(&array[n], 44, __ATOMIC_RELAXED);
	r += __atomic_fetch_min(&array[n], 11, __ATOMIC_RELAXED);
	r += __atomic_test_and_set((char *)&array[n] + 1, __ATOMIC_ACQUIRE);
	__atomic_clear((char *)&array[n] + 1, __ATOMIC_RELEASE);
	return r;
}

int main(void)
{
	test_one(250), test_two(65530), test_four(4294967290u), test_eight(1ull << 40);
#define FENCE(order) atomic_thread_fence(memory_order_##order), atomic_signal_fence(memory_order_##order);
	EACH_ORDER(FENCE)
	flag = 1;
	printf("%d %d\n", atomic_exchange(&flag, 0), flag);
	pointer = array;
	pointer++;
	printf("%d\n", (int)(atomic_fetch_add(&pointer, 1) - array));
	real = 1.5f, real += 2, dreal = 4, dreal *= 1.25;
	printf("%g %g\n", real, dreal);
	printf("%d %d\n", atomic_flag_test_and_set(&lock), atomic_flag_test_and_set_explicit(&lock, memory_order_acquire));
	atomic_flag_clear(&lock);
	/* 16 bytes, lock-free with cmpxchg16b. */
	unsigned __int128 old = 0;
	unsigned __int128 *sixteen = (unsigned __int128 *)(void *)&wide;
#ifdef __GCC_HAVE_SYNC_COMPARE_AND_SWAP_16
	old = __sync_val_compare_and_swap(sixteen, old, ((unsigned __int128)5 << 64) | 7);
	old += __sync_val_compare_and_swap(sixteen, 1, 2);
	printf("%d %llu %llu\n", (int)old, (unsigned long long)wide.a, (unsigned long long)wide.b);
	old = __atomic_load_n(sixteen, __ATOMIC_ACQUIRE);
	__atomic_store_n(sixteen, old + 3, __ATOMIC_SEQ_CST);
	printf("%llu\n", (unsigned long long)wide.a);
#else
	(void)sixteen;
	printf("0 7 5\n10\n");
#endif
	small = (struct small){ 1, 2, 3 };
	struct small got = small;
	printf("%d %d %d\n", got.a, got.b, got.c);
	for (int i = 0; i < 5; i++)
		vi += i, vs.a = i, vs.b += vs.a, vd = vd * 2 + vi;
	printf("%d %ld %g\n", vi, vs.b, vd);
	printf("%d %d %d\n", bits(0), bits(1), bits(2));
	return 0;
}
