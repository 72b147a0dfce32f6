/* numbers.c: pointers in numbers: put together from parts, added up, shifted, rounded. */
#include "pair.h"

/* By bytes. */
int by_bytes;
unsigned char bytes[8];
THREAD(bytes_1)
{
	uintptr_t number = 0;
	for (int i = 0; i < 8; i++)
		number |= (uintptr_t)bytes[i] << 8 * i;
	*(int *)number = 1; // @BYTES1
	return NULL;
}
THREAD(bytes_2)
{
	by_bytes = 2; // @BYTES2
	return NULL;
}

/* By halves, of a block of the heap. */
uint32_t low, high;
int *halved;
THREAD(halves_1)
{
	*(int *)((uint64_t)high << 32 | low) = 1; // @HALVES1
	return NULL;
}
THREAD(halves_2)
{
	*halved = 2; // @HALVES2
	return NULL;
}

/* The parts of a union, one by one. */
union parts {
	int *pointer;
	struct {
		uint32_t low, high;
	} half;
};
int parted;
union parts whole;
THREAD(parts_1)
{
	union parts copy;
	copy.half.low = whole.half.low;
	copy.half.high = whole.half.high;
	*copy.pointer = 1; // @PARTS1
	return NULL;
}
THREAD(parts_2)
{
	parted = 2; // @PARTS2
	return NULL;
}

/* Shifted to make room, and with its sign changed. */
uintptr_t shifted, negative;
int *behind_shift, *behind_sign;
THREAD(mangled_1)
{
	*(int *)(shifted * 16) = 1;   // @SHIFT1
	*(int *)(0 - negative) = 1; // @SIGN1
	return NULL;
}
THREAD(mangled_2)
{
	*behind_shift = 2; // @SHIFT2
	*behind_sign = 2;  // @SIGN2
	return NULL;
}

/* A sum of two numbers from memory. */
struct arena {
	uintptr_t base, used;
} arena;
int *from_arena;
__attribute__((noinline)) static void *take(struct arena *from, uintptr_t size)
{
	uintptr_t number = from->base + from->used;
	from->used += size;
	return (void *)number;
}
THREAD(arena_1)
{
	*from_arena = 1; // @ARENA1
	return NULL;
}
THREAD(arena_2)
{
	*from_arena = 2; // @ARENA2
	return NULL;
}

/* Rounded by a function of its own. */
uintptr_t unaligned;
int *aligned;
__attribute__((noinline)) static uintptr_t round_up(uintptr_t number, uintptr_t to)
{
	return (number + to - 1) / to * to;
}
THREAD(round_1)
{
	*aligned = 1; // @ROUND1
	return NULL;
}
THREAD(round_2)
{
	*(int *)round_up(unaligned, 64) = 2; // @ROUND2
	return NULL;
}

/* As a constant. */
int masked, turned;
uintptr_t with_mask = 0, turned_number = 0;
THREAD(constant_1)
{
	*(int *)(with_mask ^ 5) = 1;     // @MASK1
	*(int *)(0 - turned_number) = 1; // @TURN1
	return NULL;
}
THREAD(constant_2)
{
	masked = 2; // @MASK2
	turned = 2; // @TURN2
	return NULL;
}

/* A number is an index, and no pointer: what is told apart stays so. */
int elsewhere, table[64];
THREAD(index_1)
{
	table[(uintptr_t)&elsewhere >> 4 & 63] = 1; // @INDEX1
	return NULL;
}
THREAD(index_2)
{
	elsewhere = 2; // @INDEX2
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 8; i++)
		bytes[i] = (unsigned char)((uintptr_t)&by_bytes >> 8 * i);
	halved = malloc(sizeof *halved);
	low = (uint32_t)(uintptr_t)halved;
	high = (uintptr_t)halved >> 32;
	whole.pointer = &parted;
	behind_shift = malloc(sizeof *behind_shift);
	shifted = (uintptr_t)behind_shift / 16;
	behind_sign = malloc(sizeof *behind_sign);
	negative = 0 - (uintptr_t)behind_sign;
	arena.base = (uintptr_t)malloc(4096);
	from_arena = take(&arena, 16);
	unaligned = (uintptr_t)malloc(4096);
	aligned = (int *)round_up(unaligned, 64);
	with_mask = (uintptr_t)&masked ^ 5;
	turned_number = 0 - (uintptr_t)&turned;
	BOTH(bytes_1, bytes_2);
	BOTH(halves_1, halves_2);
	BOTH(parts_1, parts_2);
	BOTH(mangled_1, mangled_2);
	BOTH(arena_1, arena_2);
	BOTH(round_1, round_2);
	BOTH(constant_1, constant_2);
	BOTH(index_1, index_2);
	return 0;
}

/*
 * race: BYTES1-BYTES2
 * race: HALVES1-HALVES2
 * race: PARTS1-PARTS2
 * race: SHIFT1-SHIFT2
 * race: SIGN1-SIGN2
 * race: ARENA1-ARENA2
 * race: ROUND1-ROUND2
 * race: MASK1-MASK2
 * race: TURN1-TURN2
 * no: INDEX1-INDEX2: no-alias
 */
