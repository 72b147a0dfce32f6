/*
 * memory.c: the four functions that compilers call of their own accord, and strcmp, so that the runtime never calls
 * libc's, which the program may have replaced. Hidden, so that the program never calls these. Written in assembly
 * where a compiler would turn the loop into a call of the function itself.
 */
#include <string.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size_bytes)
{
	void *at = to;
	__asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(size_bytes) : : "memory");
	return to;
}

void *memmove(void *to, const void *from, size_t size_bytes)
{
	if ((const char *)to <= (const char *)from || (const char *)to >= (const char *)from + size_bytes)
		return memcpy(to, from, size_bytes);
	for (size_t i = size_bytes; i > 0; i--)
		((volatile char *)to)[i - 1] = ((const volatile char *)from)[i - 1];
	return to;
}

void *memset(void *to, int value, size_t size_bytes)
{
	void *at = to;
	__asm__ volatile("rep stosb" : "+D"(at), "+c"(size_bytes) : "a"(value) : "memory");
	return to;
}

int memcmp(const void *a, const void *b, size_t size_bytes)
{
	const volatile unsigned char *x = a, *y = b;
	for (size_t i = 0; i < size_bytes; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

int strcmp(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return (unsigned char)*a - (unsigned char)*b;
}
