/* Inline assembly that defines symbols and records: a second copy of it in a clone must not clash. */
#include <stdio.h>

int cell;
extern const char marked_place[];
extern const unsigned char __start_records[], __stop_records[];
__attribute__((noinline)) static int mark(int x)
{
	cell += x;
	__asm__ volatile(".globl marked_place\nmarked_place: nop");
	return cell;
}
/* As in sys/sdt.h: a place is recorded in a section of its own. A clone is another place, with a record of its own. */
__attribute__((noinline)) static int record(int x)
{
	cell -= x;
	__asm__ volatile("990: nop\n.pushsection records,\"a\",@progbits\n.byte 7\n.popsection");
	return cell;
}
__attribute__((noinline)) static int fine(int x)
{
	__asm__ volatile("jmp 1f\n1: nop\n.Lown_%=: nop" : : : "memory");
	return cell * x;
}
int main(void)
{
	int a = mark(5), b = record(2), c = fine(3);
	printf("%d %d %d %d\n", a, b, c, __stop_records > __start_records);
	printf("%d\n", marked_place != 0);
	return 0;
}
