#!/bin/bash
# What the weave keeps of a value that is read or written: the bits that are used, and whether a write is computed from what was read there.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS
cat >uses.c <<'END'
#include <stdio.h>
struct fields {
	unsigned a : 1, b : 4, c : 6;
	int d : 5;
};
volatile struct fields fields;
volatile unsigned word;
volatile int number;
volatile double mean;
int *volatile pointer;
int result;
struct pair {
	volatile long first, second;
};
unsigned get_c(void) { return fields.c; }               /* used_bits 0x7e0 */
int get_d(void) { return fields.d; }                    /* used_bits 0xf800 */
unsigned get_high(void) { return word >> 28; }          /* used_bits 0xf0000000 */
int test_bit(void) { return (word & 4) != 0; }          /* used_bits 0x4 */
int is_below(void) { return word < 16; }                /* used_bits 0xfffffff0 */
int is_negative(void) { return number < 0; }            /* used_bits 0x80000000 */
unsigned char low(void) { return (unsigned char)word; } /* used_bits 0xff */
unsigned all(void) { return word; }                     /* - */
int any(void) { return word != 0; }                     /* - */
unsigned sum(unsigned by) { return (word & 1) + by + word; } /* used_bits 0x1 - */
void count(void) { number++; }                          /* only computed */
void add(struct pair *pair, long by) { pair->first += by; } /* only computed */
void average(double by)
{
	double old = mean;                              /* only */
	mean = old + (by - old) / 4;                    /* computed */
}
int draw(void)
{
	int drawn = number;                             /* - */
	number = drawn + 1;                             /* computed */
	return drawn;
}
void move(struct pair *pair) { pair->second = pair->first + 1; } /* - - */
void copy(struct pair *pair) { pair->first = pair->first; } /* - - */
void set(void) { number = 7; }                          /* - */
int main(void)
{
	struct pair pair = { 0, 0 };
	count();
	add(&pair, 1);
	average(1);
	move(&pair);
	copy(&pair);
	set();
	pointer = &result;
	*pointer = (int)(get_c() + (unsigned)get_d() + get_high() + (unsigned)(test_bit() + is_below() + is_negative()) + low() + all() + sum(1)) + any() + draw();
	printf("%d\n", result);
	return 0;
}
END
# told: "LINE WORDS" of each function of one line, as the sites are
told() {
	"$heddle" sites --json ./uses | jq -r '.sites[] | select(.line >= 15 and .line <= 40 and (.variable // "" | test("^(pair->|fields|word|number|mean)"))) |
		"\(.line) \(if .used_bits then "used_bits " + .used_bits
			elif .flags | index("only_computed") then "only"
			elif .flags | index("computed") then "computed" else "-" end)"' |
		sort -u | awk '{ line = $1; sub(/^[0-9]+ /, ""); all[line] = all[line] " " $0 } END { for (line in all) print line all[line] }' | sort -n
}
wanted() {
	awk 'match($0, /\/\* (used_bits|only|computed|-)[^*]*\*\/$/) { text = substr($0, RSTART + 3, RLENGTH - 6); print FNR, text }' uses.c
}
normal() {
	sed 's/ - -/ -/' | awk '{ n = split($0, w, " "); line = w[1]; rest = ""; for (i = 2; i <= n; i++) { if (w[i] == "used_bits") { rest = rest "\n" w[i] " " w[i + 1]; i++ } else rest = rest "\n" w[i] }
		cmd = "sort -u | tr \"\\n\" \" \""; printf "%s ", line; fflush(); print substr(rest, 2) | cmd; close(cmd); print "" }'
}
for level in 0 1 2; do
	$cc -O$level -g -fno-inline -pthread uses.c -o uses || fail "uses.c compiles"
	is "the uses of each line, -O$level" "$(told | normal)" "$(wanted | normal)"
done
is "there are some" "$(wanted | wc -l)" 19
done_testing
