/* types.c: objects that only their types tell apart, since pointers to them come from one table. Two units: see again. */
#include "pair.h"

struct inner {
	int count;
	long sum;
};

struct outer {
	long first;
	struct inner inner;
};

struct cat {
	long lives;
	void *owner;
	int age;
};

struct dog {
	long teeth;
	void *kennel;
	int age;
};

union either {
	long number;
	double real;
};

/* Only its name is the same in both units. */
struct twin {
#ifdef SECOND_UNIT
	int small;
#else
	long large;
#endif
};

/* Compiled into the other unit. */
void other_cat(void *at);
void other_dog(void *at);
void other_twin(void *at);

#ifdef SECOND_UNIT

void other_cat(void *at)
{
	((struct cat *)at)->lives++; // @OTHERCAT
}
void other_dog(void *at)
{
	((struct dog *)at)->teeth++; // @OTHERDOG
}
void other_twin(void *at)
{
	((struct twin *)at)->small++; // @SMALL
}

#else

/* Each is one place to points-to: what is stored to one element may come from any. */
void *pets[2], *pointers[2], *bytes[2], *unions[2], *same[2], *nested[2], *copies[2], *plain[2];
void *units[2], *far[2], *twins[2], *vague[2];

THREAD(pets_1)
{
	((struct cat *)pets[0])->lives++; // @CAT
	return NULL;
}
THREAD(pets_2)
{
	((struct dog *)pets[1])->teeth++; // @DOG
	return NULL;
}

/* Members of one type, in structures of two. */
THREAD(pointers_1)
{
	((struct cat *)pointers[0])->owner = argument; // @OWNER
	return NULL;
}
THREAD(pointers_2)
{
	((struct dog *)pointers[1])->kennel = argument; // @KENNEL
	return NULL;
}

/* Bytes may be those of anything. */
THREAD(bytes_1)
{
	((struct cat *)bytes[0])->lives++; // @LIVES
	return NULL;
}
THREAD(bytes_2)
{
	*(char *)bytes[1] = 1; // @BYTE
	return NULL;
}

/* Where it is not known which bytes, that is a doubt. */
THREAD(vague_1)
{
	((struct cat *)vague[0])->age++; // @AGE
	return NULL;
}
THREAD(vague_2)
{
	((char *)vague[1])[(uintptr_t)argument] = 1; // @ANYBYTE
	return NULL;
}

THREAD(unions_1)
{
	((struct cat *)unions[0])->lives++; // @UNIONCAT
	return NULL;
}
THREAD(unions_2)
{
	((union either *)unions[1])->number = 1; // @UNION
	return NULL;
}

THREAD(same_1)
{
	((struct cat *)same[0])->lives++; // @SAME1
	return NULL;
}
THREAD(same_2)
{
	((struct cat *)same[1])->lives = 9; // @SAME2
	return NULL;
}

/* A structure in a structure: known as either. */
THREAD(nested_1)
{
	((struct outer *)nested[0])->inner.sum++; // @OUTER
	return NULL;
}
THREAD(nested_2)
{
	((struct inner *)nested[1])->sum = 1; // @INNER
	return NULL;
}

THREAD(copies_1)
{
	((struct cat *)copies[0])->lives++; // @COPIED
	return NULL;
}
THREAD(copies_2)
{
	memcpy(copies[1], copies[0], sizeof(struct dog)); // @COPY
	return NULL;
}

/* What is not known to be in a structure may be in any. */
THREAD(plain_1)
{
	((struct cat *)plain[0])->lives++; // @MEMBER
	return NULL;
}
THREAD(plain_2)
{
	*(long *)plain[1] = 1; // @LONG
	return NULL;
}
THREAD(plain_3)
{
	*(int *)plain[1] = 1; // @INT
	return NULL;
}

/* Types of several units are the same if all of them is. */
THREAD(units_1)
{
	((struct cat *)units[0])->lives++; // @HERECAT
	return NULL;
}
THREAD(units_2)
{
	other_cat(units[1]);
	return NULL;
}
THREAD(far_1)
{
	((struct cat *)far[0])->lives++; // @FARCAT
	return NULL;
}
THREAD(far_2)
{
	other_dog(far[1]);
	return NULL;
}
THREAD(twins_1)
{
	((struct twin *)twins[0])->large++; // @LARGE
	return NULL;
}
THREAD(twins_2)
{
	other_twin(twins[1]);
	return NULL;
}

static void fill(void **table)
{
	table[0] = calloc(1, 64);
	table[1] = calloc(1, 64);
}

int main(void)
{
	fill(pets);
	fill(pointers);
	fill(bytes);
	fill(unions);
	fill(same);
	fill(copies);
	fill(plain);
	fill(units);
	fill(far);
	fill(twins);
	fill(vague);
	nested[0] = calloc(1, sizeof(struct outer));
	nested[1] = &((struct outer *)nested[0])->inner;
	BOTH(pets_1, pets_2);
	BOTH(pointers_1, pointers_2);
	BOTH(bytes_1, bytes_2);
	BOTH(vague_1, vague_2);
	BOTH(unions_1, unions_2);
	BOTH(same_1, same_2);
	BOTH(nested_1, nested_2);
	BOTH(copies_1, copies_2);
	BOTH(plain_1, plain_2);
	BOTH(plain_1, plain_3);
	BOTH(units_1, units_2);
	BOTH(far_1, far_2);
	BOTH(twins_1, twins_2);
	return 0;
}

#endif
/*
 * again: -DSECOND_UNIT
 * race: CAT-DOG
 * race: OWNER-KENNEL
 * race: LIVES-BYTE
 * race: AGE-ANYBYTE
 * race: UNIONCAT-UNION
 * race: SAME1-SAME2
 * race: OUTER-INNER
 * race: COPIED-COPY
 * race: MEMBER-LONG
 * race: MEMBER-INT
 * race: HERECAT-OTHERCAT
 * race: FARCAT-OTHERDOG
 * race: LARGE-SMALL
 * doubted: CAT-DOG: types
 * doubted: OWNER-KENNEL: types
 * doubted: MEMBER-INT: types
 * doubted: FARCAT-OTHERDOG: types
 * doubted: AGE-ANYBYTE: one-type
 * trusted: AGE-ANYBYTE: types
 * trusted: LIVES-BYTE: types
 * trusted: LIVES-BYTE: one-type
 * trusted: UNIONCAT-UNION: types
 * trusted: SAME1-SAME2: types
 * trusted: OUTER-INNER: types
 * trusted: COPIED-COPY: types
 * trusted: MEMBER-LONG: types
 * trusted: HERECAT-OTHERCAT: types
 * trusted: LARGE-SMALL: types
 */
