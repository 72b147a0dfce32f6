#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
int main(void)
{
	long tot = 0;
	for (int i = 0; i < 40; i++) {
		void *p = mmap(0, 1UL << 40, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (p == MAP_FAILED) {
			printf("failed after %ld TB errno %d\n", tot, errno);
			return 1;
		}
		tot++;
	}
	printf("ok %ld TB\n", tot);
}
