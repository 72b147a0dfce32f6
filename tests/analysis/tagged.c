/*
 * tagged.c: pointers that are kept in numbers, with marks in them or mangled: whatever is done to the number, a pointer that is made of it leads to
 * the same variable. In each case one thread writes the variable by such a pointer, and another one by its name.
 */
#include "pair.h"

int many; /* 0 or 1: not known to the compiler */

#define NOINLINE __attribute__((noinline))

static NOINLINE uint64_t packed(uint64_t pointer, unsigned count)
{
	return (uint64_t)count << 48 | pointer;
}
static NOINLINE uint64_t unpacked(uint64_t word)
{
	return word & (((uint64_t)1 << 48) - 1);
}
static NOINLINE void retag(uint64_t *to, const uint64_t *from)
{
	*to = *from | (uint64_t)3 << 60;
}
static NOINLINE void passed_store(uint64_t word, uint64_t *slots)
{
	slots[2] = (uint64_t)(many + 1) << 52;
	slots[many] = slots[2] + word;
}
static NOINLINE uint64_t lowtag(uint64_t word)
{
	return word | 77;
}
static NOINLINE uintptr_t listed_next(uintptr_t head)
{
	return *(uintptr_t *)(head ^ 0x00ff00ff00ff00ffu);
}
static NOINLINE void varied(uint64_t *slots, int count, ...)
{
	__builtin_va_list list;
	__builtin_va_start(list, count);
	slots[many] = __builtin_va_arg(list, uint64_t);
	__builtin_va_end(list);
}
struct tagged;
static NOINLINE uint64_t helper_untag(const struct tagged *slot);
static inline uint64_t rotate(uint64_t number, unsigned bits)
{
	return number << bits | number >> (64 - bits);
}
static NOINLINE uintptr_t link_other(const uintptr_t *link, uintptr_t other)
{
	return *link ^ other;
}
static NOINLINE uint64_t times(uint64_t number)
{
	return number * 4;
}
static NOINLINE void summed_store(uint64_t *slot, uint64_t key)
{
	*slot = *slot + key;
}
static NOINLINE uint64_t summed_load(const uint64_t *slot, uint64_t key)
{
	return *slot - key;
}

/* or, and: NaN boxing */
int high_cell;
uint64_t high_slot[4];
static NOINLINE int *high_get(void)
{
	return (int *)(uintptr_t)(high_slot[many] & ~((uint64_t)0xffff << 48));
}
THREAD(high_1)
{
	*high_get() = 1; // @HIGH1
	return NULL;
}
THREAD(high_2)
{
	high_cell = 2; // @HIGH2
	return NULL;
}
static NOINLINE void high_set(void)
{
	high_slot[many] = 0xfffc000000000000u | (uint64_t)(uintptr_t)&high_cell;
}

/* shifted, with a mark in the low bits */
int shift_cell;
uint64_t shift_slot[4];
static NOINLINE int *shift_get(void)
{
	return (int *)(uintptr_t)(shift_slot[many] >> 16);
}
THREAD(shift_1)
{
	*shift_get() = 1; // @SHIFT1
	return NULL;
}
THREAD(shift_2)
{
	shift_cell = 2; // @SHIFT2
	return NULL;
}
static NOINLINE void shift_set(void)
{
	shift_slot[many] = (uint64_t)(uintptr_t)&shift_cell << 16 | 7;
}

/* sign extension by two shifts */
int sign_cell;
int64_t sign_slot[4];
static NOINLINE int *sign_get(void)
{
	return (int *)(intptr_t)((int64_t)((uint64_t)sign_slot[many] << 16) >> 16);
}
THREAD(sign_1)
{
	*sign_get() = 1; // @SIGN1
	return NULL;
}
THREAD(sign_2)
{
	sign_cell = 2; // @SIGN2
	return NULL;
}
static NOINLINE void sign_set(void)
{
	sign_slot[many] = (int64_t)(0x7abc000000000000 | (uintptr_t)&sign_cell);
}

/* xor with a constant */
int xor_cell;
uint64_t xor_slot[4];
static NOINLINE int *xor_get(void)
{
	return (int *)(uintptr_t)(xor_slot[many] ^ 0x5a5a5a5a5a5a5a5au);
}
THREAD(xor_1)
{
	*xor_get() = 1; // @XOR1
	return NULL;
}
THREAD(xor_2)
{
	xor_cell = 2; // @XOR2
	return NULL;
}
static NOINLINE void xor_set(void)
{
	xor_slot[many] = (uint64_t)(uintptr_t)&xor_cell ^ 0x5a5a5a5a5a5a5a5au;
}

/* xor with a value */
int key_cell;
uint64_t key_slot[4], key_value;
static NOINLINE int *key_get(void)
{
	return (int *)(uintptr_t)(key_slot[many] ^ key_value);
}
THREAD(key_1)
{
	*key_get() = 1; // @KEY1
	return NULL;
}
THREAD(key_2)
{
	key_cell = 2; // @KEY2
	return NULL;
}
static NOINLINE void key_set(void)
{
	key_value = (uint64_t)many * 0x9e3779b97f4a7c15u;
	key_slot[many] = (uint64_t)(uintptr_t)&key_cell ^ key_value;
}

/* in a double */
int double_cell;
double double_slot[4];
static NOINLINE int *double_get(void)
{
	return ({
		uint64_t bits;
		double value = double_slot[many];
		memcpy(&bits, &value, 8);
		(int *)(uintptr_t)(bits & 0x0000ffffffffffffu);
	});
}
THREAD(double_1)
{
	*double_get() = 1; // @DOUBLE1
	return NULL;
}
THREAD(double_2)
{
	double_cell = 2; // @DOUBLE2
	return NULL;
}
static NOINLINE void double_set(void)
{
	{
		uint64_t bits = 0xfff8000000000000u | (uintptr_t)&double_cell;
		memcpy(&double_slot[many], &bits, 8);
	}
}

/* in a union, by a sum */
int union_cell;
union {
	double number;
	uint64_t bits;
} union_slot[4];
static NOINLINE int *union_get(void)
{
	return (int *)(uintptr_t)(union_slot[many].bits - 0xfff9000000000000u);
}
THREAD(union_1)
{
	*union_get() = 1; // @UNION1
	return NULL;
}
THREAD(union_2)
{
	union_cell = 2; // @UNION2
	return NULL;
}
static NOINLINE void union_set(void)
{
	union_slot[many].bits = 0xfff9000000000000u + (uintptr_t)&union_cell;
}

/* in a bit field */
int field_cell;
struct {
	uint64_t where : 48, mark : 16;
} field_slot[4];
static NOINLINE int *field_get(void)
{
	return (int *)(uintptr_t)field_slot[many].where;
}
THREAD(field_1)
{
	*field_get() = 1; // @FIELD1
	return NULL;
}
THREAD(field_2)
{
	field_cell = 2; // @FIELD2
	return NULL;
}
static NOINLINE void field_set(void)
{
	field_slot[many].where = (uintptr_t)&field_cell;
	field_slot[many].mark = 9;
}

/* in two halves */
int halves_cell;
struct {
	uint32_t high, low;
} half_slot[4];
static NOINLINE int *halves_get(void)
{
	return (int *)(uintptr_t)((uint64_t)half_slot[many].high << 32 | half_slot[many].low);
}
THREAD(halves_1)
{
	*halves_get() = 1; // @HALVES1
	return NULL;
}
THREAD(halves_2)
{
	halves_cell = 2; // @HALVES2
	return NULL;
}
static NOINLINE void halves_set(void)
{
	half_slot[many].high = (uint32_t)((uintptr_t)&halves_cell >> 32);
	half_slot[many].low = (uint32_t)(uintptr_t)&halves_cell;
}

/* with a counter, as against ABA */
int count_cell;
_Atomic uint64_t count_slot;
static NOINLINE int *count_get(void)
{
	return (int *)(uintptr_t)(count_slot & (((uint64_t)1 << 48) - 1));
}
THREAD(count_1)
{
	*count_get() = 1; // @COUNT1
	return NULL;
}
THREAD(count_2)
{
	count_cell = 2; // @COUNT2
	return NULL;
}
static NOINLINE void count_set(void)
{
	count_slot = (uint64_t)(uintptr_t)&count_cell;
	count_slot += (uint64_t)1 << 48;
}

/* by functions of numbers */
int packed_cell;
uint64_t packed_slot[4];
static NOINLINE int *packed_get(void)
{
	return (int *)(uintptr_t)unpacked(packed_slot[many]);
}
THREAD(packed_1)
{
	*packed_get() = 1; // @PACKED1
	return NULL;
}
THREAD(packed_2)
{
	packed_cell = 2; // @PACKED2
	return NULL;
}
static NOINLINE void packed_set(void)
{
	packed_slot[many] = packed((uintptr_t)&packed_cell, many);
}

/* by a function that loads, marks and stores */
int copied_cell;
uint64_t copied_from[4], copied_slot[4];
static NOINLINE int *copied_get(void)
{
	return (int *)(uintptr_t)(copied_slot[many] & 0x00ffffffffffffffu);
}
THREAD(copied_1)
{
	*copied_get() = 1; // @COPIED1
	return NULL;
}
THREAD(copied_2)
{
	copied_cell = 2; // @COPIED2
	return NULL;
}
static NOINLINE void copied_set(void)
{
	copied_from[many] = (uintptr_t)&copied_cell;
	retag(&copied_slot[many], &copied_from[many]);
}

/* by a function that loads and returns a number */
int helper_cell;
struct tagged {
	uint64_t word;
} helper_slot[4];
static NOINLINE uint64_t helper_untag(const struct tagged *slot)
{
	return slot->word >> 8;
}
static NOINLINE int *helper_get(void)
{
	return (int *)helper_untag(&helper_slot[many]);
}
THREAD(helper_1)
{
	*helper_get() = 1; // @HELPER1
	return NULL;
}
THREAD(helper_2)
{
	helper_cell = 2; // @HELPER2
	return NULL;
}
static NOINLINE void helper_set(void)
{
	helper_slot[many].word = (uint64_t)(uintptr_t)&helper_cell << 8;
}

/* moved far by a number */
int offset_cell;
uintptr_t offset_slot[4];
static NOINLINE int *offset_get(void)
{
	return (int *)(offset_slot[many] - 100000);
}
THREAD(offset_1)
{
	*offset_get() = 1; // @OFFSET1
	return NULL;
}
THREAD(offset_2)
{
	offset_cell = 2; // @OFFSET2
	return NULL;
}
static NOINLINE void offset_set(void)
{
	offset_slot[many] = (uintptr_t)&offset_cell + 100000;
}

/* a pointer with a tag, kept as a pointer */
int moved_cell;
char *moved_slot[4];
static NOINLINE int *moved_get(void)
{
	return (int *)((uintptr_t)moved_slot[many] & 0x00ffffffffffffffu);
}
THREAD(moved_1)
{
	*moved_get() = 1; // @MOVED1
	return NULL;
}
THREAD(moved_2)
{
	moved_cell = 2; // @MOVED2
	return NULL;
}
static NOINLINE void moved_set(void)
{
	moved_slot[many] = (char *)((uintptr_t)&moved_cell + ((uintptr_t)5 << 56));
}

/* complement */
int not_cell;
uint64_t not_slot[4];
static NOINLINE int *not_get(void)
{
	return (int *)(uintptr_t)~not_slot[many];
}
THREAD(not_1)
{
	*not_get() = 1; // @NOT1
	return NULL;
}
THREAD(not_2)
{
	not_cell = 2; // @NOT2
	return NULL;
}
static NOINLINE void not_set(void)
{
	not_slot[many] = ~(uint64_t)(uintptr_t)&not_cell;
}

/* negated */
int negated_cell;
uint64_t negated_slot[4];
static NOINLINE int *negated_get(void)
{
	return (int *)(uintptr_t)-negated_slot[many];
}
THREAD(negated_1)
{
	*negated_get() = 1; // @NEGATED1
	return NULL;
}
THREAD(negated_2)
{
	negated_cell = 2; // @NEGATED2
	return NULL;
}
static NOINLINE void negated_set(void)
{
	negated_slot[many] = -(uint64_t)(uintptr_t)&negated_cell;
}

/* rotated */
int rotated_cell;
uint64_t rotated_slot[4];
static NOINLINE int *rotated_get(void)
{
	return (int *)(uintptr_t)rotate(rotated_slot[many], 47);
}
THREAD(rotated_1)
{
	*rotated_get() = 1; // @ROTATED1
	return NULL;
}
THREAD(rotated_2)
{
	rotated_cell = 2; // @ROTATED2
	return NULL;
}
static NOINLINE void rotated_set(void)
{
	rotated_slot[many] = rotate((uintptr_t)&rotated_cell, 17);
}

/* bytes in the other order */
int swapped_cell;
uint64_t swapped_slot[4];
static NOINLINE int *swapped_get(void)
{
	return (int *)(uintptr_t)__builtin_bswap64(swapped_slot[many]);
}
THREAD(swapped_1)
{
	*swapped_get() = 1; // @SWAPPED1
	return NULL;
}
THREAD(swapped_2)
{
	swapped_cell = 2; // @SWAPPED2
	return NULL;
}
static NOINLINE void swapped_set(void)
{
	swapped_slot[many] = __builtin_bswap64((uintptr_t)&swapped_cell);
}

/* in a number of 128 bits, low */
int wide_cell;
unsigned __int128 wide_slot[4];
static NOINLINE int *wide_get(void)
{
	return (int *)(uintptr_t)(uint64_t)wide_slot[many];
}
THREAD(wide_1)
{
	*wide_get() = 1; // @WIDE1
	return NULL;
}
THREAD(wide_2)
{
	wide_cell = 2; // @WIDE2
	return NULL;
}
static NOINLINE void wide_set(void)
{
	wide_slot[many] = (unsigned __int128)many << 64 | (uintptr_t)&wide_cell;
}

/* in a number of 128 bits, high */
int upper_cell;
unsigned __int128 upper_slot[4];
static NOINLINE int *upper_get(void)
{
	return (int *)(uintptr_t)(uint64_t)(upper_slot[many] >> 64);
}
THREAD(upper_1)
{
	*upper_get() = 1; // @UPPER1
	return NULL;
}
THREAD(upper_2)
{
	upper_cell = 2; // @UPPER2
	return NULL;
}
static NOINLINE void upper_set(void)
{
	upper_slot[many] = (unsigned __int128)(uintptr_t)&upper_cell << 64 | (unsigned)many;
}

/* xor of two pointers, taken apart elsewhere */
int linked_cell;
uintptr_t linked_slot[4], linked_other;
static NOINLINE int *linked_get(void)
{
	return (int *)link_other(&linked_slot[many], linked_other);
}
THREAD(linked_1)
{
	*linked_get() = 1; // @LINKED1
	return NULL;
}
THREAD(linked_2)
{
	linked_cell = 2; // @LINKED2
	return NULL;
}
static NOINLINE void linked_set(void)
{
	linked_other = (uintptr_t)&linked_slot[many];
	linked_slot[many] = (uintptr_t)&linked_cell ^ linked_other;
}

/* multiplied, by a function */
int times_cell;
uint64_t times_slot[4];
static NOINLINE int *times_get(void)
{
	return (int *)(uintptr_t)(times_slot[many] / 4);
}
THREAD(times_1)
{
	*times_get() = 1; // @TIMES1
	return NULL;
}
THREAD(times_2)
{
	times_cell = 2; // @TIMES2
	return NULL;
}
static NOINLINE void times_set(void)
{
	times_slot[many] = times((uintptr_t)&times_cell);
}

/* sums with a number from memory, by functions */
int summed_cell;
uint64_t summed_slot[4], summed_key;
static NOINLINE int *summed_get(void)
{
	return (int *)(uintptr_t)summed_load(&summed_slot[many], summed_key);
}
THREAD(summed_1)
{
	*summed_get() = 1; // @SUMMED1
	return NULL;
}
THREAD(summed_2)
{
	summed_cell = 2; // @SUMMED2
	return NULL;
}
static NOINLINE void summed_set(void)
{
	summed_key = (uint64_t)many << 60;
	summed_slot[many] = (uintptr_t)&summed_cell;
	summed_store(&summed_slot[many], summed_key);
}

/* in a structure that is passed and returned */
int struct_cell;
struct by_value {
	uint64_t word, other;
} struct_slot[4];
static NOINLINE struct by_value by_value(uint64_t word)
{
	return (struct by_value){ ~word, 1 };
}
static NOINLINE uint64_t by_value_get(struct by_value slot)
{
	return ~slot.word;
}
static NOINLINE int *struct_get(void)
{
	return (int *)(uintptr_t)by_value_get(struct_slot[many]);
}
THREAD(struct_1)
{
	*struct_get() = 1; // @STRUCT1
	return NULL;
}
THREAD(struct_2)
{
	struct_cell = 2; // @STRUCT2
	return NULL;
}
static NOINLINE void struct_set(void)
{
	struct_slot[many] = by_value((uintptr_t)&struct_cell);
}

/* put there by compare and exchange, with a counter */
int swaps_cell;
_Atomic uint64_t swaps_slot;
static NOINLINE int *swaps_get(void)
{
	return (int *)(uintptr_t)((uint64_t)((int64_t)(swaps_slot << 16) >> 16));
}
THREAD(swaps_1)
{
	*swaps_get() = 1; // @SWAPS1
	return NULL;
}
THREAD(swaps_2)
{
	swaps_cell = 2; // @SWAPS2
	return NULL;
}
static NOINLINE void swaps_set(void)
{
	{
		uint64_t old = swaps_slot;
		while (!__c11_atomic_compare_exchange_weak(&swaps_slot, &old,
							   ((old >> 48) + 1) << 48 | (uintptr_t)&swaps_cell, 5, 5))
			;
	}
}

/* through parameters that are added up */
int passed_cell;
uint64_t passed_slot[4];
static NOINLINE int *passed_get(void)
{
	return (int *)(uintptr_t)(passed_slot[many] - passed_slot[2]);
}
THREAD(passed_1)
{
	*passed_get() = 1; // @PASSED1
	return NULL;
}
THREAD(passed_2)
{
	passed_cell = 2; // @PASSED2
	return NULL;
}
static NOINLINE void passed_set(void)
{
	passed_store((uintptr_t)&passed_cell, passed_slot);
}

/* in four parts */
int parts_cell;
uint16_t parts_slot[4];
static NOINLINE int *parts_get(void)
{
	return ({
		uint64_t word = 0;
		for (int i = 3; i >= 0; i--)
			word = word << 16 | parts_slot[i];
		(int *)(uintptr_t)word;
	});
}
THREAD(parts_1)
{
	*parts_get() = 1; // @PARTS1
	return NULL;
}
THREAD(parts_2)
{
	parts_cell = 2; // @PARTS2
	return NULL;
}
static NOINLINE void parts_set(void)
{
	for (int i = 0; i < 4; i++)
		parts_slot[i] = (uint16_t)((uintptr_t)&parts_cell >> 16 * i);
}

/* with many marks in low bits */
__attribute__((aligned(1024))) int lowtag_cell;
uint64_t lowtag_slot[4];
static NOINLINE int *lowtag_get(void)
{
	return (int *)(uintptr_t)(lowtag_slot[many] & ~(uint64_t)1023);
}
THREAD(lowtag_1)
{
	*lowtag_get() = 1; // @LOWTAG1
	return NULL;
}
THREAD(lowtag_2)
{
	lowtag_cell = 2; // @LOWTAG2
	return NULL;
}
static NOINLINE void lowtag_set(void)
{
	lowtag_slot[many] = lowtag((uintptr_t)&lowtag_cell);
}

/* in a list whose links are mangled */
int listed_cell;
struct listed {
	uintptr_t link;
} listed_slot[4];
uintptr_t listed_head;
static NOINLINE int *listed_get(void)
{
	return (int *)(listed_next(listed_head) & INTPTR_MAX);
}
THREAD(listed_1)
{
	*listed_get() = 1; // @LISTED1
	return NULL;
}
THREAD(listed_2)
{
	listed_cell = 2; // @LISTED2
	return NULL;
}
static NOINLINE void listed_set(void)
{
	listed_slot[many].link = (uintptr_t)&listed_cell | (uintptr_t)1 << 63;
	listed_head = (uintptr_t)&listed_slot[many] ^ 0x00ff00ff00ff00ffu;
}

/* among variable arguments */
int varied_cell;
uint64_t varied_slot[4];
static NOINLINE int *varied_get(void)
{
	return (int *)(uintptr_t)(varied_slot[many] ^ 77);
}
THREAD(varied_1)
{
	*varied_get() = 1; // @VARIED1
	return NULL;
}
THREAD(varied_2)
{
	varied_cell = 2; // @VARIED2
	return NULL;
}
static NOINLINE void varied_set(void)
{
	varied(varied_slot, 1, (uint64_t)(uintptr_t)&varied_cell ^ 77);
}

/* a tag that decides */
int chosen_cell;
uint64_t chosen_slot[4];
static NOINLINE int *chosen_get(void)
{
	return ({
		uint64_t word = chosen_slot[many];
		if (word >> 50 == 3)
			word -= (uint64_t)3 << 50;
		else
			word -= (uint64_t)1 << 50;
		(int *)(uintptr_t)word;
	});
}
THREAD(chosen_1)
{
	*chosen_get() = 1; // @CHOSEN1
	return NULL;
}
THREAD(chosen_2)
{
	chosen_cell = 2; // @CHOSEN2
	return NULL;
}
static NOINLINE void chosen_set(void)
{
	chosen_slot[many] = (uintptr_t)&chosen_cell + (many ? 1 : 3) * ((uint64_t)1 << 50);
}

/* Functions, too: in a table of numbers with tags. */
int called_cell;
uint64_t called_slot[4];
static NOINLINE int called(int value)
{
	called_cell = value; // @CALLED1
	return value;
}
THREAD(called_1)
{
	((int (*)(int))(uintptr_t)(called_slot[many] & ~((uint64_t)0xffff << 48)))(1);
	return NULL;
}
THREAD(called_2)
{
	called_cell = 2; // @CALLED2
	return NULL;
}
int mangled_cell;
uint64_t mangled_slot[4];
static NOINLINE int mangled(int value)
{
	mangled_cell = value; // @MANGLED1
	return value;
}
THREAD(mangled_1)
{
	((int (*)(int))(uintptr_t)(rotate(mangled_slot[many], 47) ^ 0x1234567812345678u))(1);
	return NULL;
}
THREAD(mangled_2)
{
	mangled_cell = 2; // @MANGLED2
	return NULL;
}
/* Initialised by the linker. */
int constant_cell;
static NOINLINE int constant(int value)
{
	constant_cell = value; // @CONSTANT1
	return value;
}
char *constant_slot[2] = { (char *)constant + ((uintptr_t)9 << 56), (char *)constant + ((uintptr_t)9 << 56) };
THREAD(constant_1)
{
	((int (*)(int))((uintptr_t)constant_slot[many] & 0x00ffffffffffffffu))(1);
	return NULL;
}
THREAD(constant_2)
{
	constant_cell = 2; // @CONSTANT2
	return NULL;
}

int main(int argc, char **argv)
{
	(void)argv;
	many = argc > 1;
	high_set();
	BOTH(high_1, high_2);
	shift_set();
	BOTH(shift_1, shift_2);
	sign_set();
	BOTH(sign_1, sign_2);
	xor_set();
	BOTH(xor_1, xor_2);
	key_set();
	BOTH(key_1, key_2);
	double_set();
	BOTH(double_1, double_2);
	union_set();
	BOTH(union_1, union_2);
	field_set();
	BOTH(field_1, field_2);
	halves_set();
	BOTH(halves_1, halves_2);
	count_set();
	BOTH(count_1, count_2);
	packed_set();
	BOTH(packed_1, packed_2);
	copied_set();
	BOTH(copied_1, copied_2);
	helper_set();
	BOTH(helper_1, helper_2);
	offset_set();
	BOTH(offset_1, offset_2);
	moved_set();
	BOTH(moved_1, moved_2);
	not_set();
	BOTH(not_1, not_2);
	negated_set();
	BOTH(negated_1, negated_2);
	rotated_set();
	BOTH(rotated_1, rotated_2);
	swapped_set();
	BOTH(swapped_1, swapped_2);
	wide_set();
	BOTH(wide_1, wide_2);
	upper_set();
	BOTH(upper_1, upper_2);
	linked_set();
	BOTH(linked_1, linked_2);
	times_set();
	BOTH(times_1, times_2);
	summed_set();
	BOTH(summed_1, summed_2);
	struct_set();
	BOTH(struct_1, struct_2);
	swaps_set();
	BOTH(swaps_1, swaps_2);
	passed_set();
	BOTH(passed_1, passed_2);
	parts_set();
	BOTH(parts_1, parts_2);
	lowtag_set();
	BOTH(lowtag_1, lowtag_2);
	listed_set();
	BOTH(listed_1, listed_2);
	varied_set();
	BOTH(varied_1, varied_2);
	chosen_set();
	BOTH(chosen_1, chosen_2);
	called_slot[many] = 0xfffc000000000000u | (uint64_t)(uintptr_t)called;
	BOTH(called_1, called_2);
	mangled_slot[many] = rotate((uintptr_t)mangled ^ 0x1234567812345678u, 17);
	BOTH(mangled_1, mangled_2);
	BOTH(constant_1, constant_2);
	return 0;
}
/*
 * race: HIGH1-HIGH2
 * race: SHIFT1-SHIFT2
 * race: SIGN1-SIGN2
 * race: XOR1-XOR2
 * race: KEY1-KEY2
 * race: DOUBLE1-DOUBLE2
 * race: UNION1-UNION2
 * race: FIELD1-FIELD2
 * race: HALVES1-HALVES2
 * race: COUNT1-COUNT2
 * race: PACKED1-PACKED2
 * race: COPIED1-COPIED2
 * race: HELPER1-HELPER2
 * race: OFFSET1-OFFSET2
 * race: MOVED1-MOVED2
 * race: NOT1-NOT2
 * race: NEGATED1-NEGATED2
 * race: ROTATED1-ROTATED2
 * race: SWAPPED1-SWAPPED2
 * race: WIDE1-WIDE2
 * race: UPPER1-UPPER2
 * race: LINKED1-LINKED2
 * race: TIMES1-TIMES2
 * race: SUMMED1-SUMMED2
 * race: STRUCT1-STRUCT2
 * race: SWAPS1-SWAPS2
 * race: PASSED1-PASSED2
 * race: PARTS1-PARTS2
 * race: LOWTAG1-LOWTAG2
 * race: LISTED1-LISTED2
 * race: VARIED1-VARIED2
 * race: CHOSEN1-CHOSEN2
 * race: CALLED1-CALLED2
 * race: MANGLED1-MANGLED2
 * race: CONSTANT1-CONSTANT2
 */
