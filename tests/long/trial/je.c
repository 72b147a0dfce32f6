#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void dallocx(void *, int);
size_t sallocx(const void *, int);
int main(void)
{
	char *p = malloc(100);
	strcpy(p, "x");
	printf("sallocx %zu\n", sallocx(p, 0));
	fflush(stdout);
	dallocx(p, 0);
	puts("done");
	return 0;
}
