/* assembly.c: accesses by inline assembly, as hand-written locks and atomic operations have them: what they order, and what they do
 * not. data is plain. */
#include "case.h"

#define ASM __asm__ __volatile__

int data;
static int flag, other;
static long words[8];

/* PASS(name, tell, is_heard): one thread writes data and tells; the other writes it when it has heard. */
#define PASS(name, tell, is_heard)                                                                                     \
	BODY(name##_teller) { data = 1; tell; }                                                                        \
	BODY(name##_hearer) { if (is_heard) data = 2; }                                                                \
	CASE(name) { threads(name##_teller, name##_hearer); }

#define ALWAYS static inline __attribute__((always_inline))

ALWAYS int load(int *p) { int v; ASM("movl %1,%0" : "=r"(v) : "m"(*p) : "memory"); return v; }
ALWAYS void store(int *p, int v) { ASM("movl %1,%0" : "=m"(*p) : "ri"(v) : "memory"); }
ALWAYS int load_plain(int *p) { int v; ASM("movl %1,%0" : "=r"(v) : "m"(*p)); return v; } // @load
ALWAYS void store_plain(int *p, int v) { ASM("movl %1,%0" : "=m"(*p) : "ri"(v)); } // @store
ALWAYS int exchange(int *p, int v) { ASM("xchgl %0,%1" : "+r"(v), "+m"(*p) : : "memory"); return v; }
ALWAYS int add(int *p, int v) { ASM("lock; xaddl %0,%1" : "+r"(v), "+m"(*p) : : "memory", "cc"); return v; }
ALWAYS int compare(int *p, int from, int to)
{
	int was;
	ASM("lock\n\tcmpxchgl %2,%1" : "=a"(was), "+m"(*p) : "r"(to), "0"(from) : "memory", "cc");
	return was;
}
/* The same with the address in a register, and with the flag as the result. */
ALWAYS int compare_through(int *p, int from, int to)
{
	unsigned char is_done;
	ASM("lock cmpxchgl %2,(%1); setz %0" : "=q"(is_done), "+r"(p) : "r"(to), "a"(from) : "memory", "cc");
	return is_done;
}

PASS(moves, store(&flag, 1), load(&flag)) // @moves
PASS(moves_plain, store_plain(&flag, 1), load_plain(&flag)) // @moves_plain
PASS(exchanges, exchange(&flag, 1), exchange(&flag, 2) == 1) // @exchanges
PASS(adds, add(&flag, 1), add(&flag, 0)) // @adds
PASS(compares, compare(&flag, 0, 1), compare(&flag, 1, 2) == 1) // @compares
PASS(compares_through, compare_through(&flag, 0, 1), compare_through(&flag, 1, 2)) // @compares_through
PASS(increments, ASM("lock; incl %0" : "+m"(flag) : : "cc"), load(&flag)) // @increments
PASS(increments_through, ASM("lock; incl (%0)" : : "r"(&flag) : "memory", "cc"), load(&flag)) // @increments_through
PASS(increments_fixed, ASM("lock; incl (%%rdi)" : : "D"(&flag) : "memory", "cc"), load(&flag)) // @increments_fixed
PASS(displaced, ASM("lock; incq 16(%0)" : : "r"(&words[1]) : "memory", "cc"), words[0] == 0 && load((int *)&words[3])) // @displaced
PASS(displaced_elsewhere, ASM("lock; incq 16(%0)" : : "r"(&words[1]) : "memory", "cc"), load((int *)&words[3]) && load(&other) == 0) // @displaced_elsewhere
PASS(indexed, ASM("lock; incq 8(%0,%1,8)" : : "r"(words), "r"(2l) : "memory", "cc"), load((int *)&words[3])) // @indexed
PASS(bits, ASM("lock; btsq %1,%0" : "+m"(words[0]) : "r"(130l) : "memory", "cc"), load((int *)&words[2])) // @bits
PASS(intel, ASM(".intel_syntax noprefix\n\tlock inc dword ptr [rdi]\n\t.att_syntax" : : "D"(&flag) : "memory", "cc"), load(&flag)) // @intel
PASS(variants, ASM("lock; {incl %0|inc %0}" : "+m"(flag) : : "memory", "cc"), load(&flag)) // @variants
PASS(aside, ASM(".pushsection .note.lines,\"a\"\n\t.long 1\n\t.popsection\n\tlock /* all */ incl %0 # one" : "+m"(flag) : : "memory"), load(&flag)) // @aside
/* A store that is not ordered, but behind a fence; and as much at the reader. */
#define RELAXED_STORE __atomic_store_n(&flag, 1, __ATOMIC_RELAXED)
#define RELAXED_LOAD __atomic_load_n(&flag, __ATOMIC_RELAXED)
PASS(fences, ASM("mfence" : : : "memory"); RELAXED_STORE, RELAXED_LOAD && ({ ASM("lfence" : : : "memory"); 1; })) // @fences
PASS(stack_fences, ASM("lock; addl $0,0(%%rsp)" : : : "memory", "cc"); RELAXED_STORE, RELAXED_LOAD && ({ ASM("lock; orl $0,(%%rsp)" : : : "memory", "cc"); 1; })) // @stack_fences
PASS(no_fences, ASM("" : : : "memory"); RELAXED_STORE, RELAXED_LOAD && ({ ASM("pause" : : : "memory"); 1; })) // @no_fences

/* Volatile accesses beside barriers for the compiler, which is how code for x86 releases and acquires. */
static volatile int sign;
#define BARRIER ASM("" : : : "memory")
PASS(barriers, BARRIER; sign = 1, sign && ({ BARRIER; 1; })) // @barriers
PASS(barriers_fence, ASM("sfence" : : : "memory"); sign = 1, sign && ({ ASM("lfence" : : : "memory"); 1; })) // @barriers_fence
PASS(barriers_late, sign = 1; BARRIER, sign && ({ BARRIER; 1; })) // @barriers_late
PASS(no_barriers, sign = 1, sign) // @no_barriers
/* What is read or written by a volatile access is atomic where inline assembly makes atomic ones; what is not volatile is not. */
BODY(counts) { for (int i = 0; i < 2; i++) ASM("lock; incl %0" : "+m"(*(int *)&sign) : : "memory", "cc"); }
BODY(volatile_reads) { while (sign < 2); }
CASE(count_volatile) { threads(counts, volatile_reads); }
BODY(counts_plainly) { ASM("lock; incl %0" : "+m"(flag) : : "memory", "cc"); } // @counts_plainly
BODY(plain_reads) { other = flag; } // @plain_reads
CASE(count_plain) { threads(counts_plainly, plain_reads); }

/* A compare and exchange that fails is a load: it releases nothing. */
BODY(failing_teller)
{
	data = 1; // @failing_teller
	compare(&flag, 9, 5);
	__atomic_store_n(&other, 1, __ATOMIC_RELAXED);
}
BODY(failing_hearer)
{
	if (!__atomic_load_n(&other, __ATOMIC_RELAXED))
		return;
	(void)load(&flag);
	data = 2; // @failing_hearer
}
CASE(compare_failed) { threads(failing_teller, failing_hearer); }
/* One that writes what was there has not failed. */
BODY(same_teller)
{
	data = 1;
	compare(&flag, 0, 0);
	__atomic_store_n(&other, 1, __ATOMIC_RELAXED);
}
BODY(same_hearer)
{
	if (!__atomic_load_n(&other, __ATOMIC_RELAXED))
		return;
	(void)load(&flag);
	data = 2;
}
CASE(compare_same) { threads(same_teller, same_hearer); }

/* Two words at once. */
static struct pair { long a, b; } __attribute__((aligned(16))) pair;
ALWAYS int compare_pair(struct pair *p, long a, long b, long to_a, long to_b)
{
	unsigned char is_done;
	ASM("lock; cmpxchg16b %1\n\tsete %0" : "=q"(is_done), "+m"(*p), "+a"(a), "+d"(b) : "b"(to_a), "c"(to_b) : "memory", "cc");
	return is_done;
}
PASS(pairs, compare_pair(&pair, 0, 0, 3, 4), compare_pair(&pair, 3, 4, 5, 6)) // @pairs

/* LOCK(name, lock, unlock): two threads change data under it, twice each. */
#define LOCK(name, lock, unlock)                                                                                       \
	BODY(name##_owner) { for (int i = 0; i < 2; i++) { lock; data++; unlock; } }                                   \
	CASE(name) { threads(name##_owner, name##_owner, name##_owner); if (data != 6) abort(); }

LOCK(spin, while (exchange(&flag, 1)) ASM("pause"), store(&flag, 0)) // @spin
LOCK(spin_test, do { while (load(&flag)) ASM("rep; nop" : : : "memory"); } while (compare(&flag, 0, 1)), store(&flag, 0)) // @spin_test
LOCK(spin_byte, while (({ char v = 1; ASM("lock\n\txchgb %0,%1" : "+q"(v), "+m"(*(char *)&flag) : : "memory", "cc"); v; })), ASM("movb $0,%0" : "=m"(*(char *)&flag) : : "memory")) // @spin_byte
/* The lock of PostgreSQL: taken by a locked instruction, waited for and released by volatile accesses. */
LOCK(volatile_unlock, while (sign || exchange((int *)&sign, 1)) ASM("rep; nop"), BARRIER; sign = 0) // @volatile_unlock
/* Who has the lock may let go of it without a locked instruction: nobody else writes there. */
LOCK(ticket, int mine = add(&flag, 1); while (load(&other) != mine) ASM("pause" : : : "memory"), ASM("incl %0" : "+m"(other) : : "memory", "cc")) // @ticket
LOCK(ticket_locked, int mine = add(&flag, 1); while (load(&other) != mine) ASM("pause" : : : "memory"), ASM("lock; incl %0" : "+m"(other) : : "memory", "cc")) // @ticket_locked
LOCK(bit, while (({ char v; ASM("lock; btsl $3,%1; setc %0" : "=q"(v), "+m"(flag) : : "memory", "cc"); v; })), ASM("lock; btrl $3,%0" : "+m"(flag) : : "memory", "cc")) // @bit
/* The loop is in the assembly. */
LOCK(inside, ASM("1: lock; decl %0; jns 3f\n2: rep; nop; cmpl $0,%0; jle 2b; jmp 1b\n3:" : "+m"(other) : : "memory", "cc"), ASM("movl $1,%0" : "=m"(other) : : "memory")) // @inside
CASE(loops) { other = 1; case_inside(); }
LOCK(named_loop, ASM("movl $1,%%eax\n.Lagain%=: xchgl %%eax,%0\n\ttestl %%eax,%%eax\n\tjnz .Lagain%=" : "+m"(flag) : : "eax", "memory", "cc"), store(&flag, 0)) // @named_loop
/* A loop that only waits, without a word about memory. */
BODY(waiting) { ASM("1: cmpl $0,%0; je 1b" : : "m"(flag) : "cc"); data = 2; }
BODY(waited_for) { data = 1; store(&flag, 1); }
CASE(waits) { threads(waiting, waited_for); }
/* Wrong: not locked; and a lock that is not one. */
BODY(counting) { ASM("incl %0" : "+m"(flag) : : "memory", "cc"); } // @counting
CASE(unlocked) { threads(counting, counting); }
BODY(counting_apart) { int n; ASM("movl %1,%0\n\taddl $1,%0\n\tmovl %0,%1" : "=&r"(n), "+m"(flag) : : "memory", "cc"); } // @counting_apart
CASE(unlocked_apart) { threads(counting_apart, counting_apart); }
/* Right: what is waited for and then reset. */
BODY(resetting) { ASM("1: cmpl $0,%0; je 1b; movl $0,%0" : "+m"(flag) : : "memory", "cc"); data = 2; }
CASE(resets) { threads(resetting, waited_for); }
LOCK(not_atomic, ASM("cmpxchgl %1,%0" : "+m"(flag) : "r"(1), "a"(0) : "cc"), ) // @not_atomic
LOCK(no_lock, while (load(&flag)); store(&flag, 1), store(&flag, 0)) // @no_lock

CASES(CHOICE(moves), CHOICE(moves_plain), CHOICE(exchanges), CHOICE(adds), CHOICE(compares), CHOICE(compares_through), CHOICE(increments),
      CHOICE(increments_through), CHOICE(increments_fixed), CHOICE(displaced), CHOICE(displaced_elsewhere), CHOICE(indexed), CHOICE(bits),
      CHOICE(intel), CHOICE(variants), CHOICE(aside), CHOICE(fences), CHOICE(stack_fences), CHOICE(no_fences), CHOICE(barriers), CHOICE(barriers_fence), CHOICE(barriers_late), CHOICE(no_barriers), CHOICE(count_volatile),
      CHOICE(count_plain), CHOICE(volatile_unlock), CHOICE(compare_failed),
      CHOICE(compare_same), CHOICE(pairs), CHOICE(spin), CHOICE(spin_test), CHOICE(spin_byte), CHOICE(ticket), CHOICE(ticket_locked),
      CHOICE(bit), CHOICE(loops), CHOICE(named_loop), CHOICE(waits), CHOICE(unlocked), CHOICE(unlocked_apart), CHOICE(resets), CHOICE(not_atomic), CHOICE(no_lock))

/*
 * case moves: none
 * case moves_plain: moves_plain-moves_plain; load-store
 * case exchanges: none
 * case adds: none
 * case compares: none
 * case compares_through: none
 * case increments: none
 * case increments_through: none
 * case increments_fixed: none
 * case displaced: none
 * case displaced_elsewhere: none
 * case indexed: none
 * case bits: none
 * case intel: none
 * case variants: none
 * case aside: none
 * case fences: none
 * case stack_fences: none
 * case no_fences: no_fences-no_fences
 * case barriers: none
 * case barriers_fence: none
 * case barriers_late: barriers_late-barriers_late
 * case no_barriers: no_barriers-no_barriers
 * case count_volatile: none
 * case count_plain: counts_plainly-plain_reads
 * case volatile_unlock: none
 * case compare_failed: failing_hearer-failing_teller
 * case compare_same: none
 * case pairs: none
 * case spin: none
 * case spin_test: none
 * case spin_byte: none
 * case ticket: none
 * case ticket_locked: none
 * case bit: none
 * case loops: none
 * case named_loop: none
 * case waits: none
 * case unlocked: counting-counting
 * case unlocked_apart: counting_apart-counting_apart
 * case resets: none
 * case not_atomic: not_atomic-not_atomic; assertion
 * case no_lock: no_lock-no_lock; assertion
 */
