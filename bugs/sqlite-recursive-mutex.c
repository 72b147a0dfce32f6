/*
 * SQLite 3.3.0: its own recursive mutex deadlocks.
 *
 * The mutex is made of two: one that guards how it is taken, one that is held. The depth tells whether somebody holds
 * it, but it is counted up after the guard has been released. A thread that looks before that waits for the held one
 * with the guard in its hands, and the holder waits for the guard when it enters again or leaves. RaceMob (SOSP
 * 2013): three races hang SQLite; Portend (ASPLOS 2012): one race that ends in a deadlock; Kasikci's thesis, Tables 1
 * and 5. None of them shows the code: the two mutexes are those of SQLite's later versions, the place of the count is
 * our reading.
 */
#include <pthread.h>
#include <stdio.h>

enum { TABLES = 4 };

static struct {
	pthread_mutex_t guard;
	pthread_mutex_t held;
	int depth;
} global = { .guard = PTHREAD_MUTEX_INITIALIZER, .held = PTHREAD_MUTEX_INITIALIZER };

#ifdef FIXED
static pthread_mutex_t recursive;

static void enter_mutex(void)
{
	pthread_mutex_lock(&recursive);
	global.depth++;
}

static void leave_mutex(void)
{
	global.depth--;
	pthread_mutex_unlock(&recursive);
}
#else
static void enter_mutex(void)
{
	pthread_mutex_lock(&global.guard);
	if (global.depth == 0) /*A*/
		pthread_mutex_lock(&global.held);
	pthread_mutex_unlock(&global.guard);
	global.depth++; /*B*/
}

static void leave_mutex(void)
{
	pthread_mutex_lock(&global.guard);
	global.depth--; /*C*/
	if (global.depth == 0)
		pthread_mutex_unlock(&global.held);
	pthread_mutex_unlock(&global.guard);
}
#endif

static int pages[TABLES];

static void allocate_page(int table)
{
	enter_mutex();
	pages[table]++;
	leave_mutex();
}

static void *create_table(void *argument)
{
	int table = *(int *)argument;
	enter_mutex();
	allocate_page(table);
	allocate_page(table + 1);
	leave_mutex();
	return NULL;
}

int main(void)
{
	int tables[] = { 0, 2 };
	pthread_t threads[2];
#ifdef FIXED
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&recursive, &attributes);
	pthread_mutexattr_destroy(&attributes);
#endif
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, create_table, &tables[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("pages %d, depth %d\n", pages[0] + pages[1] + pages[2] + pages[3], global.depth);
	return 0;
}
/*
 * pattern: deadlock
 * finds: deadlock lock-order data-race output-differs
 * race: A B
 * race: B C
 * race: B B
 * source: Kasikci's thesis tables 1 and 5; SQLite 3.3.0
 */
