/*
 * processx 330: a signal handler goes through the list of children while a thread changes it.
 *
 * The handler of SIGCHLD takes the children that have ended out of a list. The main thread blocks the signal while it
 * changes the list, but that is for itself only: the signal is delivered to another thread, and the handler runs
 * beside the main thread. A child that is added just then is lost, or the one that was taken out stays.
 * r-lib/processx, pull request 330; CERT C rule SIG31-C is about the same.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

enum { CHILDREN = 3 };

struct child {
	int pid;
	struct child *next;
};

static struct child pool[CHILDREN + 1] = { { .pid = 100 }, { .pid = 101 }, { .pid = 102 }, { .pid = 103 } };
static struct child *children = &pool[0];
static volatile sig_atomic_t ended_pid = 100;
static pthread_t main_thread;

static void remove_child(int pid)
{
	struct child **link = &children;
	while (*link && (*link)->pid != pid) /*A*/
		link = &(*link)->next;
	if (*link)
		*link = (*link)->next; /*B*/
}

static void handle_child(int number)
{
#ifdef FIXED
	/* The list is the main thread's: the signal is passed on to it. */
	if (!pthread_equal(pthread_self(), main_thread)) {
		pthread_kill(main_thread, number);
		return;
	}
#else
	(void)number;
#endif
	remove_child(ended_pid);
}

static void add_child(struct child *child)
{
	sigset_t blocked, before;
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	child->next = children; /*C*/
	children = child;       /*D*/
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void *read_output(void *argument)
{
	(void)argument;
	/* The child has closed its output; the kernel gives the signal to the thread that learns of it. */
	raise(SIGCHLD);
	return NULL;
}

int main(void)
{
	pthread_t reader;
	struct sigaction action = { .sa_handler = handle_child };
	main_thread = pthread_self();
	sigaction(SIGCHLD, &action, NULL);
	pthread_create(&reader, NULL, read_output, NULL);
	for (int i = 1; i <= CHILDREN; i++)
		add_child(&pool[i]);
	pthread_join(reader, NULL);
	int count = 0, is_there = 0;
	for (struct child *child = children; child; child = child->next) {
		is_there |= child->pid == ended_pid;
		count++;
	}
	printf("children %d, ended one is %s\n", count, is_there ? "there" : "gone");
	return count == CHILDREN && !is_there ? 0 : 1;
}
/*
 * pattern: RWW
 * finds: bad-exit output-differs data-race
 * race: A D
 * race: A C
 * class: A C single-ordering: A reads the field of a child only through the pointer that D writes after C
 * race: B C
 * race: B D
 * source: r-lib/processx pull request 330
 */
