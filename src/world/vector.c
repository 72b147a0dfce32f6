/*
 * vector.c: see vector.h. xgetbv with 1 returns the parts that are in use; a part that is not has its initial value
 * (Intel's manual, volume 1, section 13.6). The x87 stays in use for good once an instruction of it was executed,
 * although its registers are nearly always empty: so it is given its initial value, and the next switch is cheap
 * again.
 */
#include "world/vector.h"

#include <cpuid.h>
#include <string.h>

#define PART_X87 0x1u
#define PART_AVX 0x4u
#define PART_MASKS 0x20u
#define PART_WIDE 0x40u  /* the upper half of zmm0 to zmm15 */
#define PART_UPPER 0x80u /* zmm16 to zmm31 */
#define PART_512 (PART_MASKS | PART_WIDE | PART_UPPER)

/* Exceptions and the top of the stack: what the initial status has none of, but for the result of a comparison. */
#define X87_STATUS 0x38ffu
#define X87_CONTROL 0x37fu

static uint32_t known_parts;
static const unsigned char initial[512 + 64] __attribute__((aligned(64)));

#define SIXTEEN(EACH)                                                                                                  \
	EACH(0)                                                                                                        \
	EACH(1)                                                                                                        \
	EACH(2)                                                                                                        \
	EACH(3) EACH(4) EACH(5) EACH(6) EACH(7) EACH(8) EACH(9) EACH(10) EACH(11) EACH(12) EACH(13) EACH(14) EACH(15)
#define SAVE_16(n) "movups %%xmm" #n ", 64 * " #n "(%0)\n"
#define SAVE_32(n) "vmovups %%ymm" #n ", 64 * " #n "(%0)\n"
#define SAVE_64(n) "vmovups %%zmm" #n ", 64 * " #n "(%0)\n"
#define LOAD_16(n) "movups 64 * " #n "(%0), %%xmm" #n "\n"
#define LOAD_32(n) "vmovups 64 * " #n "(%0), %%ymm" #n "\n"
#define LOAD_64(n) "vmovups 64 * " #n "(%0), %%zmm" #n "\n"
#define UPPER(EACH)                                                                                                    \
	EACH(16)                                                                                                       \
	EACH(17)                                                                                                       \
	EACH(18)                                                                                                       \
	EACH(19)                                                                                                       \
	EACH(20) EACH(21) EACH(22) EACH(23) EACH(24) EACH(25) EACH(26) EACH(27) EACH(28) EACH(29) EACH(30) EACH(31)
#define SAVE_MASK(n) "kmovq %%k" #n ", 8 * " #n "(%0)\n"
#define LOAD_MASK(n) "kmovq 8 * " #n "(%0), %%k" #n "\n"
#define EIGHT(EACH) EACH(0) EACH(1) EACH(2) EACH(3) EACH(4) EACH(5) EACH(6) EACH(7)

static inline uint32_t parts_in_use(void)
{
	uint32_t low, high;
	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
	return low & known_parts;
}

static inline void make_initial(uint32_t parts)
{
	__asm__ volatile("xrstor64 (%0)" : : "r"(initial), "a"(parts), "d"(0) : "memory");
}

bool vector_start(uint32_t parts)
{
	uint32_t a, b, c, d;
	known_parts = parts;
	if (!__get_cpuid_count(0xd, 1, &a, &b, &c, &d) || !(a & 4))
		return false; /* no xgetbv with 1 */
	if (!(parts & PART_512))
		return true;
	/* kmovq is of AVX512BW, which all but the first processors with AVX-512 have. */
	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX512BW);
}

/* Whether there is anything in it. No other thread may find it there: a thread that was switched away from at a call
 * relies on an empty x87 stack. */
static bool save_x87(struct x87 *state)
{
	memset(state->header, 0, sizeof state->header);
	__asm__ volatile("xsave64 (%0)" : : "r"(state), "a"(PART_X87), "d"(0) : "memory");
	make_initial(PART_X87);
	return state->tags != 0 || (state->status & X87_STATUS) != 0 || state->control != X87_CONTROL;
}

void vector_save(struct vector_state *state)
{
	uint32_t parts = parts_in_use();
	if (parts & PART_WIDE)
		__asm__ volatile(SIXTEEN(SAVE_64) : : "r"(state->lower) : "memory");
	else if (parts & PART_AVX)
		__asm__ volatile(SIXTEEN(SAVE_32) : : "r"(state->lower) : "memory");
	else
		__asm__ volatile(SIXTEEN(SAVE_16) : : "r"(state->lower) : "memory");
	if (parts & PART_UPPER) /* from 64 * 16 on */
		__asm__ volatile(UPPER(SAVE_64) : : "r"(state->lower) : "memory");
	if (parts & PART_MASKS)
		__asm__ volatile(EIGHT(SAVE_MASK) : : "r"(state->masks) : "memory");
	if ((parts & PART_X87) && !save_x87(&state->x87))
		parts &= ~PART_X87;
	state->parts = parts;
}

void vector_load(const struct vector_state *state)
{
	uint32_t parts = state->parts, foreign = parts_in_use() & ~parts;
	if (foreign & PART_AVX) /* for this part xrstor would load mxcsr */
		__asm__ volatile("vzeroupper");
	if (foreign & (PART_X87 | PART_512))
		make_initial(foreign & (PART_X87 | PART_512));
	if (parts & PART_WIDE)
		__asm__ volatile(SIXTEEN(LOAD_64) : : "r"(state->lower) : "memory");
	else if (parts & PART_AVX)
		__asm__ volatile(SIXTEEN(LOAD_32) : : "r"(state->lower) : "memory");
	else
		__asm__ volatile(SIXTEEN(LOAD_16) : : "r"(state->lower) : "memory");
	if (parts & PART_UPPER)
		__asm__ volatile(UPPER(LOAD_64) : : "r"(state->lower) : "memory");
	if (parts & PART_MASKS)
		__asm__ volatile(EIGHT(LOAD_MASK) : : "r"(state->masks) : "memory");
	if (parts & PART_X87)
		__asm__ volatile("xrstor64 (%0)" : : "r"(&state->x87), "a"(PART_X87), "d"(0) : "memory");
}
