/*
 * calls.c: a system call that does next to nothing, again and again.
 *   calls getppid STEPS
 */
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long sum = 0;
	if (argc != 3)
		return 2;
	for (long i = 0, steps = atol(argv[2]); i < steps; i++)
		sum += getppid() > 0;
	return sum ? 0 : 1;
}
