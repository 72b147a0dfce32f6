/* tally.c: see tally.h. */
#include "rt/tally.h"

#include <sys/mman.h>

#include "rt/sys.h"

int tally_start(void)
{
	long at = sys_call(SYS_mmap, (long)PLACE_TALLY, PLACE_TALLY_ROOM, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	return sys_failed(at) ? (int)at : 0;
}
