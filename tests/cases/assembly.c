/* Inline assembly with outputs, memory operands, clobbers and jumps; assembly of the file; naked functions. */
#include <cpuid.h>
#include <stdint.h>
#include <stdio.h>

int cell = 5, other;
long block[4];

__attribute__((noinline)) static int operands(int x)
{
	int y, z = x;
	__asm__("lea 3(%1,%1), %0" : "=r"(y) : "r"((long)x));
	__asm__ volatile("addl $4, %0" : "+m"(cell));
	__asm__ volatile("xchgl %0, %1" : "+r"(z), "+m"(other) : : "memory");
	__asm__("imull %2, %0" : "=r"(y) : "0"(y), "rm"(z));
	__asm__ volatile("" : : : "memory");
	return y + cell;
}
__attribute__((noinline)) static uint64_t clobbers(uint64_t x)
{
	uint64_t r;
	__asm__ volatile("mov %1, %%rbx\n\tmov $7, %%r12\n\tmov $9, %%r13\n\tadd %%r12, %%rbx\n\tadd %%r13, %%rbx\n\tmov %%rbx, %0"
			 : "=&r"(r) : "r"(x) : "rbx", "r12", "r13", "r14", "r15", "cc", "xmm0", "xmm7", "xmm15");
	block[1] += (long)r;
	return r + (uint64_t)block[1];
}
__attribute__((noinline)) static int jumps(int x)
{
	__asm__ goto("testl %0, %0\n\tjz %l[zero]" : : "r"(x) : "cc", "memory" : zero);
	cell++;
	return 1;
zero:
	cell--;
	return 0;
}
__attribute__((noinline)) static long string(char *to, const char *from, long n)
{
	__asm__ volatile("cld\n\trep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
	return n;
}
__attribute__((noinline)) static int flags(unsigned a, unsigned b)
{
	int carry;
	__asm__("cmpl %2, %1" : "=@ccb"(carry) : "r"(a), "r"(b));
	return carry;
}
__attribute__((noinline)) static int stack(int x)
{
	/* Uses the stack below the frame: the compiler keeps its red zone clear of calls only. */
	int r;
	__asm__ volatile("sub $256, %%rsp\n\tpush %1\n\tpop %q0\n\tadd $256, %%rsp" : "=r"(r) : "r"((long)x) : "memory", "cc");
	return r + cell;
}
__attribute__((naked, noinline)) static int naked(int x)
{
	__asm__("leal 1(%rdi), %eax\n\tret");
}
int from_assembly(int);
__asm__(".text\n.globl from_assembly\n.type from_assembly,@function\nfrom_assembly:\n\tleal 2(%rdi,%rdi), %eax\n\tret\n"
	".size from_assembly, .-from_assembly\n");
register long pointer __asm__("rsp");
__attribute__((noinline)) static int in_register(int x)
{
	register int fixed __asm__("r12") = x * 2;
	cell += x;
	__asm__ volatile("incl %0" : "+r"(fixed));
	return fixed;
}
int renamed(int) __asm__("another_name");
int renamed(int x) { return cell += x; }
static int (*volatile call)(int) = naked;
/* Atomic operations, by operands in memory and by registers, and with loops inside: hooks there change nothing. */
static int lock_word, words[8];
static struct {
	long a, b;
} __attribute__((aligned(16))) both = { 1, 2 };
__attribute__((noinline)) static int atomics(int *at, long index)
{
	int was = 3, result = 0;
	unsigned char is_done;
	__asm__ volatile("lock; xaddl %0, 4(%1)" : "+r"(was) : "r"(at) : "memory", "cc");
	__asm__ volatile("lock; incl (%0,%1,4)" : : "r"(at), "r"(index) : "memory", "cc");
	__asm__ volatile("lock; btsl %k1, (%0)" : : "r"(at), "r"(index * 32 + 4) : "memory", "cc");
	__asm__ volatile("lock cmpxchgl %3, %1; setz %0"
			 : "=q"(is_done), "+m"(at[1]), "+a"(result)
			 : "r"(9)
			 : "memory", "cc");
	result = result * 10 + is_done;
	__asm__ volatile("lock cmpxchg16b %1; setz %0"
			 : "=q"(is_done), "+m"(both)
			 : "a"(1l), "d"(2l), "b"(7l), "c"(8l)
			 : "memory", "cc");
	return result * 100 + is_done * 10 + was;
}
__attribute__((noinline)) static long loops(int *at, int rounds)
{
	/* The carry and r11 live through the jump back. */
	long sum = 0, r11 = 5;
	register long eleven __asm__("r11") = r11;
	__asm__ volatile("clc\n1:\tadcq $1, %0\n\tlock; xchgl %2, %1\n\tleaq 1(%3), %3\n\tdecl %4\n\tjnz 1b"
			 : "+r"(sum), "+m"(*at), "+r"(rounds), "+r"(eleven)
			 : "m"(*(int *)&r11)
			 : "memory", "cc");
	return sum * 100 + eleven + *at;
}
__attribute__((noinline)) static int spins(int *at)
{
	int rounds = 0;
	__asm__ volatile(
		"movl $4, %%eax\n.Lround%=: xchgl %%eax, %1\n\tincl %0\n\ttestl %%eax, %%eax\n\tjnz .Lround%=\n\tlfence"
		: "+r"(rounds), "+m"(*at)
		:
		: "eax", "memory", "cc");
	return rounds * 10 + *at;
}

int main(void)
{
	unsigned a, b, c, d;
	__cpuid(0, a, b, c, d);
	printf("%d %d %d\n", operands(3), cell, other);
	printf("%llu %llu\n", (unsigned long long)clobbers(4), (unsigned long long)clobbers(5));
	printf("%d %d %d\n", jumps(0), jumps(1), cell);
	char text[16] = "";
	printf("%ld %s\n", string(text, "moved", 6), text);
	printf("%d %d %d\n", flags(1, 2), flags(2, 1), stack(3));
	printf("%d %d %d %d\n", naked(4), call(5), from_assembly(6), in_register(7));
	printf("%d %d\n", renamed(8), pointer != 0 && a > 0);
	printf("%d\n", atomics(words, 3));
	for (int i = 0; i < 8; i++)
		printf("%d ", words[i]);
	printf("%ld %ld %ld\n", both.a, both.b, loops(&lock_word, 6));
	lock_word = 0;
	printf("%d\n", spins(&lock_word));
	return 0;
}
