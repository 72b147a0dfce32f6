/* debug.c: see debug.h. In assembly, so that a breakpoint on the name is at the first instruction, with and without debug
 * information. */
#include "rt/debug.h"

struct heddle_debug heddle_debug = { .version = HEDDLE_DEBUG_VERSION };

__asm__(".pushsection .text\n"
	".balign 16\n"
	".globl heddle_debug_stop\n"
	".type heddle_debug_stop, @function\n"
	"heddle_debug_stop:\n"
	".cfi_startproc\n"
	"ret\n"
	".cfi_endproc\n"
	".size heddle_debug_stop, . - heddle_debug_stop\n"
	".popsection\n");
