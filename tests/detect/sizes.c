/* sizes.c: which bytes an access has. */
#include "case.h"

static union {
	volatile unsigned char bytes[64];
	volatile unsigned short twos[32];
	volatile unsigned fours[16];
	volatile unsigned long eights[8];
	volatile __int128 sixteens[4];
} u __attribute__((aligned(64)));

/* An access of the type, so far from the start. */
#define AT(type, offset) (*(volatile type *)(uintptr_t)((char *)&u + (offset)))
typedef unsigned short two __attribute__((aligned(1)));
typedef unsigned four __attribute__((aligned(1)));
typedef unsigned long eight __attribute__((aligned(1)));
typedef __int128 sixteen __attribute__((aligned(1)));


BODY(w1_3) { AT(unsigned char, 3) = 1; } // @w1_3
BODY(w1_4) { AT(unsigned char, 4) = 1; } // @w1_4
BODY(w2_2) { AT(two, 2) = 1; } // @w2_2
BODY(w2_7) { AT(two, 7) = 1; } // @w2_7
BODY(w4_0) { AT(four, 0) = 1; } // @w4_0
BODY(w4_4) { AT(four, 4) = 1; } // @w4_4
BODY(w4_6) { AT(four, 6) = 1; } // @w4_6
BODY(w8_0) { AT(eight, 0) = 1; } // @w8_0
BODY(w8_1) { AT(eight, 1) = 1; } // @w8_1
BODY(w8_8) { AT(eight, 8) = 1; } // @w8_8
BODY(w16_0) { AT(sixteen, 0) = 1; } // @w16_0
BODY(w16_9) { AT(sixteen, 9) = 1; } // @w16_9
BODY(r1_3) { (void)AT(unsigned char, 3); } // @r1_3
BODY(r1_15) { (void)AT(unsigned char, 15); } // @r1_15
BODY(r1_8) { (void)AT(unsigned char, 8); } // @r1_8
BODY(r1_24) { (void)AT(unsigned char, 24); } // @r1_24
BODY(r1_25) { (void)AT(unsigned char, 25); } // @r1_25
BODY(r2_8) { (void)AT(two, 8); } // @r2_8
BODY(r4_8) { (void)AT(four, 8); } // @r4_8
BODY(r8_0) { (void)AT(eight, 0); } // @r8_0
BODY(r16_0) { (void)AT(sixteen, 0); } // @r16_0

CASE(neighbours) { threads(w1_3, w1_4); }
CASE(same_byte) { threads(w1_3, r1_3); }
CASE(two_has_byte) { threads(w2_2, r1_3); }
CASE(two_beside) { threads(w2_2, w1_4); }
CASE(four_has_byte) { threads(w4_0, r1_3); }
CASE(four_beside) { threads(w4_0, w1_4); }
CASE(halves) { threads(w4_0, w4_4); }
CASE(halves_whole) { threads(w4_0, w4_4, r8_0); }
CASE(eight_has_byte) { threads(w8_0, r1_3); }
CASE(eight_beside) { threads(w8_0, w8_8); }
CASE(unaligned_two) { threads(w2_7, r1_8); }
CASE(unaligned_two_apart) { threads(w2_7, w4_0, r1_15); }
CASE(unaligned_four) { threads(w4_6, r2_8); }
CASE(unaligned_both) { threads(w4_6, w2_7); }
CASE(unaligned_eight) { threads(w8_1, r1_8); }
CASE(unaligned_eight_apart) { threads(w8_1, r1_15); }
CASE(sixteen_has_byte) { threads(w16_0, r1_15); }
CASE(sixteen_has_eight) { threads(w8_8, r16_0); }
CASE(unaligned_sixteen) { threads(w16_9, r1_24); }
CASE(unaligned_sixteen_apart) { threads(w16_9, r1_25, r1_8); }
CASE(unaligned_sixteen_four) { threads(w16_9, r4_8); }

/* Parts of a cell are accessed by different threads, then all of it by a third one that is behind only one of them. */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int told;
BODY(first_half)
{
	AT(four, 0) = 1; // @first_half
}
BODY(second_half)
{
	pthread_mutex_lock(&m);
	AT(four, 4) = 1;
	told = 1;
	pthread_mutex_unlock(&m);
}
BODY(both_halves)
{
	pthread_mutex_lock(&m);
	int is_told = told;
	pthread_mutex_unlock(&m);
	if (is_told)
		AT(eight, 0) = 2; // @both_halves
}
CASE(half_ordered) { threads(first_half, second_half, both_halves); }

/* Bit-fields of one word are one memory location; those that a zero width divides are two. */
static volatile struct {
	unsigned a : 3, b : 5;
	unsigned : 0;
	unsigned c : 8;
	unsigned d;
} fields;
BODY(field_a) { fields.a = 1; } // @field_a
BODY(field_b) { fields.b = 1; } // @field_b
BODY(field_c) { fields.c = 1; }
BODY(field_d) { fields.d = 1; }
CASE(fields_one) { threads(field_a, field_b); }
CASE(fields_two) { threads(field_a, field_c, field_d); }

/* Ranges. */
static char from[200], to[400];
static volatile size_t size = 37;
BODY(copies) { memcpy(to + 3, from + 1, size); } // @copies
BODY(sets) { memset(to + 39, 1, size); } // @sets
BODY(sets_behind) { memset(to + 40, 1, size); }
BODY(moves) { memmove(to + 2, to + 41, size); } // @moves
BODY(writes_from) { *(volatile char *)(from + 37) = 1; } // @writes_from
BODY(writes_from_behind) { *(volatile char *)(from + 38) = 1; }
BODY(writes_from_before) { *(volatile char *)from = 1; }
BODY(sets_none) { size_t none = size - 37; memset(to, 1, none); }
BODY(copies_struct) { struct s { char c[100]; } *a = (struct s *)from, *b = (struct s *)to; *b = *a; } // @copies_struct
CASE(range_meets_range) { threads(copies, sets); }
CASE(range_beside_range) { threads(copies, sets_behind); }
CASE(range_last_byte) { threads(copies, writes_from); }
CASE(range_outside) { threads(copies, writes_from_behind, writes_from_before); }
CASE(range_moves) { threads(copies, moves); }
CASE(range_empty) { threads(copies, sets_none); }
CASE(range_struct) { threads(copies_struct, writes_from); }

/* Functions of strings: the first byte. */
static char text[40] = "some text", other[40] = "other text";
static volatile size_t length;
static volatile int order;
BODY(measures) { length = strlen(text); } // @measures
BODY(measures_behind) { length = strlen(text + 1); }
BODY(compares) { order = strcmp(other, text); } // @compares
BODY(copies_text) { strcpy(text, other + (number & 0)); } // @copies_text
BODY(copies_other) { char own[40]; strcpy(own, text); order = own[number]; } // @copies_other
BODY(compares_none) { order = memcmp(text, other, size - 37); }
BODY(writes_text) { *(volatile char *)text = 's'; } // @writes_text
CASE(string_length) { threads(measures, writes_text); }
CASE(string_length_behind) { threads(measures_behind, writes_text); }
CASE(string_second) { threads(compares, writes_text); }
CASE(string_copied) { threads(copies_text, writes_text); }
CASE(string_copied_from) { threads(copies_other, writes_text); }
CASE(string_of_no_length) { threads(compares_none, writes_text); }

/* The same site at two offsets of one cell, by two threads. */
static volatile char pair[2];
BODY(own_byte) { pair[number] = 1; }
BODY(same_byte_all) { pair[number & 0] = 1; } // @same_byte_all
CASE(same_site_apart) { threads(own_byte, own_byte); }
CASE(same_site) { threads(same_byte_all, same_byte_all); }

/* Odd sizes. */
static volatile long double ld;
static struct three { char c[3]; } threes[4];
BODY(ld_write) { ld = 1; } // @ld_write
BODY(ld_last) { ((volatile char *)&ld)[9] = 1; } // @ld_last
BODY(ld_behind) { ((volatile char *)&ld)[10] = 1; }
BODY(three_1) { struct three t = { { (char)size, 2, 3 } }; threes[1] = t; } // @three_1
BODY(three_2) { struct three t = { { (char)size, 2, 3 } }; threes[2] = t; } // @three_2
BODY(three_last) { *(volatile char *)&threes[1].c[2] = 1; } // @three_last
CASE(long_double) { threads(ld_write, ld_last); }
CASE(long_double_behind) { threads(ld_write, ld_behind); }
CASE(three_apart) { threads(three_1, three_2); }
CASE(three) { threads(three_1, three_last); }

CASES(CHOICE(neighbours), CHOICE(same_byte), CHOICE(two_has_byte), CHOICE(two_beside), CHOICE(four_has_byte),
      CHOICE(four_beside), CHOICE(halves), CHOICE(halves_whole), CHOICE(eight_has_byte), CHOICE(eight_beside),
      CHOICE(unaligned_two), CHOICE(unaligned_two_apart), CHOICE(unaligned_four), CHOICE(unaligned_both),
      CHOICE(unaligned_eight), CHOICE(unaligned_eight_apart), CHOICE(sixteen_has_byte), CHOICE(sixteen_has_eight),
      CHOICE(unaligned_sixteen), CHOICE(unaligned_sixteen_apart), CHOICE(unaligned_sixteen_four), CHOICE(half_ordered),
      CHOICE(fields_one), CHOICE(fields_two), CHOICE(range_meets_range), CHOICE(range_beside_range),
      CHOICE(range_last_byte), CHOICE(range_outside), CHOICE(range_moves), CHOICE(range_empty), CHOICE(range_struct),
      CHOICE(string_length), CHOICE(string_length_behind), CHOICE(string_second), CHOICE(string_copied),
      CHOICE(string_copied_from), CHOICE(string_of_no_length),
      CHOICE(same_site_apart), CHOICE(same_site), CHOICE(long_double), CHOICE(long_double_behind), CHOICE(three_apart),
      CHOICE(three))

/*
 * case neighbours: none
 * case same_byte: w1_3-r1_3
 * case two_has_byte: w2_2-r1_3
 * case two_beside: none
 * case four_has_byte: w4_0-r1_3
 * case four_beside: none
 * case halves: none
 * case halves_whole: w4_0-r8_0; w4_4-r8_0
 * case eight_has_byte: w8_0-r1_3
 * case eight_beside: none
 * case unaligned_two: w2_7-r1_8
 * case unaligned_two_apart: none
 * case unaligned_four: w4_6-r2_8
 * case unaligned_both: w4_6-w2_7
 * case unaligned_eight: w8_1-r1_8
 * case unaligned_eight_apart: none
 * case sixteen_has_byte: w16_0-r1_15
 * case sixteen_has_eight: w8_8-r16_0
 * case unaligned_sixteen: w16_9-r1_24
 * case unaligned_sixteen_apart: none
 * case unaligned_sixteen_four: w16_9-r4_8
 * case half_ordered: first_half-both_halves
 * case fields_one: field_a-field_b
 * case fields_two: none
 * case range_meets_range: copies-sets
 * case range_beside_range: none
 * case range_last_byte: copies-writes_from
 * case range_outside: none
 * case range_moves: copies-moves
 * case range_empty: none
 * case range_struct: copies_struct-writes_from
 * case string_length: measures-writes_text
 * case string_length_behind: none
 * case string_second: compares-writes_text
 * case string_copied: copies_text-writes_text
 * case string_copied_from: copies_other-writes_text
 * case string_of_no_length: none
 * case same_site_apart: none
 * case same_site: same_byte_all-same_byte_all
 * case long_double: ld_write-ld_last
 * case long_double_behind: none
 * case three_apart: none
 * case three: three_1-three_last
 */
