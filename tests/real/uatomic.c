/* liburcu's atomic operations for x86, which are inline assembly and volatile accesses between barriers. The first argument says what
 * to do; those that end in "-bad" lack a barrier. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <urcu/arch.h>
#include <urcu/system.h>
#include <urcu/uatomic.h>

static int word, data, flag;
static struct node {
	struct node *next;
	int value;
} nodes[3], *head;
static const char *which;
#define IS(name) (strcmp(which, name) == 0)

static void *lock(void *unused)
{
	for (int i = 0; i < 2; i++) {
		while (uatomic_cmpxchg(&word, 0, 1) != 0)
			caa_cpu_relax();
		data++;
		cmm_smp_mb();
		uatomic_set(&word, 0);
	}
	return unused;
}

static void *lock_bad(void *unused)
{
	for (int i = 0; i < 2; i++) {
		while (uatomic_cmpxchg(&word, 0, 1) != 0)
			caa_cpu_relax();
		data++;
		uatomic_set(&word, 0);
	}
	return unused;
}

static void *exchange(void *unused)
{
	for (int i = 0; i < 2; i++) {
		while (uatomic_xchg(&word, 1))
			while (uatomic_read(&word))
				caa_cpu_relax();
		data++;
		uatomic_dec(&word);
	}
	return unused;
}

static void *count(void *unused)
{
	for (int i = 0; i < 2; i++) {
		uatomic_inc(&data);
		uatomic_add(&data, 2);
		uatomic_sub(&data, 2);
	}
	return unused;
}

static void *push(void *number)
{
	struct node *node = &nodes[(size_t)number], *old;
	node->value = 1;
	do {
		old = CMM_LOAD_SHARED(head);
		node->next = old;
	} while (uatomic_cmpxchg(&head, old, node) != old);
	for (node = uatomic_xchg(&head, (struct node *)NULL); node; node = node->next)
		uatomic_add(&data, 2 * node->value);
	return NULL;
}

static void *give(void *unused)
{
	data = 6;
	cmm_smp_wmb();
	CMM_STORE_SHARED(flag, 1);
	return unused;
}

static void *give_bad(void *unused)
{
	data = 6;
	CMM_STORE_SHARED(flag, 1);
	return unused;
}

static void *take(void *unused)
{
	if (CMM_LOAD_SHARED(flag)) {
		cmm_smp_rmb();
		if (data != 6)
			abort();
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[3];
	if (argc != 2)
		return 2;
	which = argv[1];
	void *(*first)(void *) = IS("lock")       ? lock
				 : IS("lock-bad") ? lock_bad
				 : IS("exchange") ? exchange
				 : IS("count")    ? count
				 : IS("stack")    ? push
				 : IS("flag")     ? give
				 : IS("flag-bad") ? give_bad
						  : NULL;
	int is_flag = first == give || first == give_bad;
	for (size_t i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, is_flag && i ? take : first, (void *)i);
	for (size_t i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return data != 6;
}
