/* fault.c: see fault.h. */
#include "rt/enter/fault.h"

#include "rt/enter/context.h"
#include "rt/enter/entrance.h"
#include "rt/mode.h"

void fault_start(void)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP };
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		context_install(faults[i], entrance.mode->fault, SA_ONSTACK | SA_NODEFER, 0);
}
