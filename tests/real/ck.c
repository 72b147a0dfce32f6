/* Locks, a ring and a stack of Concurrency Kit, which are written in inline assembly. The first argument says which; "bad": a lock that
 * does not cover what it should. */
#include <ck_pr.h>
#include <ck_ring.h>
#include <ck_rwlock.h>
#include <ck_spinlock.h>
#include <ck_stack.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int data;
static const char *which;
#define IS(name) (strcmp(which, #name) == 0)

#define LOCK(name, type, initializer)                                                                                  \
	static type name = initializer;                                                                                \
	static void change_##name(void)                                                                                \
	{                                                                                                              \
		ck_spinlock_##name##_lock(&name);                                                                      \
		data++;                                                                                                \
		ck_spinlock_##name##_unlock(&name);                                                                    \
	}
LOCK(cas, ck_spinlock_cas_t, CK_SPINLOCK_CAS_INITIALIZER)
LOCK(fas, ck_spinlock_fas_t, CK_SPINLOCK_FAS_INITIALIZER)
LOCK(dec, ck_spinlock_dec_t, CK_SPINLOCK_DEC_INITIALIZER)
LOCK(ticket, ck_spinlock_ticket_t, CK_SPINLOCK_TICKET_INITIALIZER)

static ck_spinlock_mcs_t mcs = CK_SPINLOCK_MCS_INITIALIZER;
static ck_rwlock_t rwlock = CK_RWLOCK_INITIALIZER;

static void change(void)
{
	if (IS(cas))
		change_cas();
	else if (IS(fas))
		change_fas();
	else if (IS(dec))
		change_dec();
	else if (IS(ticket))
		change_ticket();
	else if (IS(count))
		ck_pr_inc_int(&data);
	if (IS(mcs)) {
		ck_spinlock_mcs_context_t node;
		ck_spinlock_mcs_lock(&mcs, &node);
		data++;
		ck_spinlock_mcs_unlock(&mcs, &node);
	}
	if (IS(rwlock)) {
		ck_rwlock_write_lock(&rwlock);
		data++;
		ck_rwlock_write_unlock(&rwlock);
		ck_rwlock_read_lock(&rwlock);
		if (data < 1)
			abort();
		ck_rwlock_read_unlock(&rwlock);
	}
	if (IS(bad)) {
		ck_spinlock_fas_lock(&fas);
		ck_spinlock_fas_unlock(&fas);
		data++;
	}
}

static void *owner(void *unused)
{
	change();
	change();
	return unused;
}

static ck_ring_t ring;
static ck_ring_buffer_t buffer[4];
static int items[6];

static void *producer(void *unused)
{
	for (int i = 0; i < 6; i++) {
		items[i] = i + 1;
		while (!ck_ring_enqueue_spsc(&ring, buffer, &items[i]))
			ck_pr_stall();
	}
	return unused;
}

static void *consumer(void *unused)
{
	for (int i = 0; i < 6; i++) {
		void *item;
		while (!ck_ring_dequeue_spsc(&ring, buffer, &item))
			ck_pr_stall();
		data += *(int *)item;
	}
	return unused;
}

static ck_stack_t stack;
static struct item {
	ck_stack_entry_t entry;
	int value;
} pushed[2][2];
CK_STACK_CONTAINER(struct item, entry, item_of)

static void *pusher(void *number)
{
	for (int i = 0; i < 2; i++) {
		struct item *item = &pushed[(size_t)number][i];
		item->value = 1;
		ck_stack_push_upmc(&stack, &item->entry);
	}
	return NULL;
}

static void *popper(void *unused)
{
	for (int sum = 0; sum < 4;) {
		ck_stack_entry_t *entry = ck_stack_pop_upmc(&stack);
		if (entry)
			sum += item_of(entry)->value;
		else
			ck_pr_stall();
	}
	return unused;
}

int main(int count, char **arguments)
{
	void *(*bodies[3])(void *) = { owner, owner, owner };
	pthread_t threads[3];
	if (count != 2)
		return 2;
	which = arguments[1];
	size_t thread_count = IS(ring) ? 2 : 3;
	ck_ring_init(&ring, 4);
	ck_stack_init(&stack);
	if (IS(ring)) {
		bodies[0] = producer;
		bodies[1] = consumer;
	} else if (IS(stack)) {
		bodies[0] = bodies[1] = pusher;
		bodies[2] = popper;
	}
	for (size_t i = 0; i < thread_count; i++)
		pthread_create(&threads[i], NULL, bodies[i], (void *)i);
	for (size_t i = 0; i < thread_count; i++)
		pthread_join(threads[i], NULL);
	return data != (IS(ring) ? 21 : IS(stack) ? 0 : 6);
}
