/* patches_sample.c: a library of two system calls: one that moves with what is before it, one that moves with what is
 * behind it. For tests/unit/patches.c. */
__asm__(".pushsection .text\n"
	".globl sample_before, sample_behind\n"
	".type sample_before, @function\n"
	"sample_before:\n"
	".cfi_startproc\n"
	".byte 0x0f, 0x1f, 0x40, 0x00\n" /* a NOP of four bytes */
	"syscall\n"
	"ret\n"
	".cfi_endproc\n"
	".size sample_before, . - sample_before\n"
	".type sample_behind, @function\n"
	"sample_behind:\n"
	".cfi_startproc\n"
	"syscall\n"
	".byte 0x0f, 0x1f, 0x40, 0x00\n" /* a NOP of four bytes */
	"ret\n"
	".cfi_endproc\n"
	".size sample_behind, . - sample_behind\n"
	".popsection\n");
