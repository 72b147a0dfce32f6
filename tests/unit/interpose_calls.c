/* interpose_calls.c: calls every function of the list in src/rt/enter/interpose.h and prints what must not change. With an
 * argument it sees to it that only one thread at a time does something. */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static struct timespec past, future = { .tv_sec = 1ll << 32 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int counter, once_count, cleaned;
static int is_alone;

static void settle(void)
{
	if (is_alone)
		usleep(20000);
}

static void count_once(void)
{
	once_count++;
}

static void *nothing(void *argument)
{
	return argument;
}

static void *leave(void *argument)
{
	pthread_exit(argument);
}

static int leave_c11(void *argument)
{
	thrd_exit(*(int *)argument);
}

static void clean(void *argument)
{
	cleaned++;
	if (argument)
		pthread_mutex_unlock(argument);
}

static void *wait_forever(void *argument)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(clean, &mutex);
	*(volatile int *)argument = 1;
	for (;;)
		pthread_cond_wait(&condition, &mutex);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *test_forever(void *argument)
{
	(void)argument;
	pthread_cleanup_push(clean, NULL);
	for (;;)
		pthread_testcancel();
	pthread_cleanup_pop(0);
	return NULL;
}

static void threads(void)
{
	pthread_t thread;
	void *result = NULL;
	static int status = 5; /* the detached thread may read it late */
	int code, started = 0, got = 0;
	thrd_t c11;

	pthread_create(&thread, NULL, nothing, &code);
	settle();
	pthread_join(thread, &result);
	printf("join %d\n", result == &code);
	pthread_create(&thread, NULL, leave, &code);
	settle();
	while ((code = pthread_tryjoin_np(thread, &result)) == EBUSY)
		usleep(1000);
	printf("tryjoin %d %d\n", code, result == &code);
	pthread_create(&thread, NULL, nothing, NULL);
	settle();
	printf("timedjoin %d\n", pthread_timedjoin_np(thread, &result, &future));
	pthread_create(&thread, NULL, nothing, NULL);
	settle();
	printf("clockjoin %d\n", pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &future));
	pthread_create(&thread, NULL, nothing, NULL);
	settle();
	printf("detach %d\n", pthread_detach(thread));
	pthread_create(&thread, NULL, wait_forever, &started);
	settle();
	while (!*(volatile int *)&started)
		usleep(1000);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	code = pthread_cancel(thread);
	settle();
	pthread_join(thread, &result);
	printf("cancel %d %d %d\n", code, result == PTHREAD_CANCELED, cleaned);
	if (!is_alone) {
		pthread_create(&thread, NULL, test_forever, NULL);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		printf("testcancel %d %d\n", result == PTHREAD_CANCELED, cleaned);
	}
	thrd_create(&c11, leave_c11, &status);
	settle();
	printf("thrd_join %d", thrd_join(c11, &got));
	printf(" %d\n", got);
	thrd_create(&c11, leave_c11, &status);
	settle();
	printf("thrd_detach %d\n", thrd_detach(c11));
}

static void names(void)
{
	char name[32] = "";
	printf("setname %d", pthread_setname_np(pthread_self(), "fifteen letters"));
	printf(" %d", pthread_setname_np(pthread_self(), "sixteen letters!"));
	printf(" getname %d", pthread_getname_np(pthread_self(), name, 15));
	printf(" %d", pthread_getname_np(pthread_self(), name, 16));
	printf(" %s\n", name);
}

static void mutexes(void)
{
	mtx_t c11;
	printf("mutex %d", pthread_mutex_lock(&mutex));
	printf(" %d", pthread_mutex_trylock(&mutex));
	printf(" %d", pthread_mutex_timedlock(&mutex, &past));
	printf(" %d", pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past));
	printf(" %d\n", pthread_mutex_unlock(&mutex));
	mtx_init(&c11, mtx_timed);
	printf("mtx %d", mtx_lock(&c11));
	printf(" %d", mtx_trylock(&c11));
	printf(" %d", mtx_timedlock(&c11, &past));
	printf(" %d\n", mtx_unlock(&c11));
}

static void conditions(void)
{
	cnd_t c11;
	mtx_t c11_mutex;
	pthread_mutex_lock(&mutex);
	printf("cond %d", pthread_cond_timedwait(&condition, &mutex, &past));
	printf(" %d", pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &past));
	printf(" %d", pthread_cond_signal(&condition));
	printf(" %d\n", pthread_cond_broadcast(&condition));
	pthread_mutex_unlock(&mutex);
	cnd_init(&c11);
	mtx_init(&c11_mutex, mtx_plain);
	mtx_lock(&c11_mutex);
	printf("cnd %d", cnd_timedwait(&c11, &c11_mutex, &past));
	printf(" %d", cnd_signal(&c11));
	printf(" %d\n", cnd_broadcast(&c11));
	mtx_unlock(&c11_mutex);
}

static cnd_t ping;
static mtx_t ping_mutex;
static int ping_is_present;

static int send_ping(void *argument)
{
	(void)argument;
	mtx_lock(&ping_mutex);
	ping_is_present = 1;
	cnd_signal(&ping);
	mtx_unlock(&ping_mutex);
	return 0;
}

static void c11_wait(void)
{
	thrd_t thread;
	int waits = 0;
	cnd_init(&ping);
	mtx_init(&ping_mutex, mtx_plain);
	mtx_lock(&ping_mutex);
	thrd_create(&thread, send_ping, NULL);
	settle();
	while (!ping_is_present)
		waits += cnd_wait(&ping, &ping_mutex) == thrd_success;
	mtx_unlock(&ping_mutex);
	thrd_join(thread, NULL);
	printf("cnd_wait %d\n", waits > 0);
}

static void rwlocks(void)
{
	pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
	printf("rwlock %d", pthread_rwlock_rdlock(&lock));
	printf(" %d", pthread_rwlock_tryrdlock(&lock));
	printf(" %d", pthread_rwlock_timedrdlock(&lock, &future));
	printf(" %d", pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &future));
	printf(" %d", pthread_rwlock_trywrlock(&lock));
	printf(" %d", pthread_rwlock_timedwrlock(&lock, &past));
	printf(" %d", pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &past));
	for (int i = 0; i < 4; i++)
		printf(" %d", pthread_rwlock_unlock(&lock));
	printf(" %d", pthread_rwlock_wrlock(&lock));
	printf(" %d\n", pthread_rwlock_unlock(&lock));
}

static pthread_spinlock_t spin;

static void *spin_some(void *argument)
{
	for (int i = 0; i < 20000; i++) {
		pthread_spin_lock(&spin);
		counter++;
		pthread_spin_unlock(&spin);
	}
	return argument;
}

static void spins(void)
{
	pthread_t pair[2];
	printf("spin %d", pthread_spin_init(&spin, 0));
	printf(" %d", pthread_spin_trylock(&spin));
	printf(" %d", pthread_spin_trylock(&spin));
	printf(" %d", pthread_spin_trylock(&spin));
	printf(" %d", pthread_spin_unlock(&spin));
	for (int i = 0; i < 2 && !is_alone; i++)
		pthread_create(&pair[i], NULL, spin_some, NULL);
	for (int i = 0; i < 2 && !is_alone; i++)
		pthread_join(pair[i], NULL);
	printf(" %d\n", counter);
}

static void semaphores(void)
{
	sem_t semaphore;
	int value = -1;
	sem_init(&semaphore, 0, 1);
	printf("sem %d", sem_wait(&semaphore));
	printf(" %d", sem_trywait(&semaphore));
	printf(" %d", errno == EAGAIN);
	printf(" %d", sem_timedwait(&semaphore, &past));
	printf(" %d", errno == ETIMEDOUT);
	printf(" %d", sem_clockwait(&semaphore, CLOCK_MONOTONIC, &past));
	printf(" %d", sem_post(&semaphore));
	printf(" %d", sem_getvalue(&semaphore, &value));
	printf(" %d\n", value);
}

static void barriers_and_once(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	static once_flag flag = ONCE_FLAG_INIT;
	pthread_barrier_t barrier;
	pthread_barrier_init(&barrier, NULL, 1);
	printf("barrier %d\n", pthread_barrier_wait(&barrier));
	pthread_once(&once, count_once);
	pthread_once(&once, count_once);
	call_once(&flag, count_once);
	call_once(&flag, count_once);
	printf("once %d\n", once_count);
}

static void memory(void)
{
	void *aligned = NULL, *blocks[8];
	volatile size_t large = (size_t)1 << 40;
	char *block = malloc(100);
	strcpy(block, "kept");
	block = realloc(block, 100000);
	block = reallocarray(block, 300, 1000);
	printf("memory %s %d", block, malloc_usable_size(block) >= 300000);
	free(block);
	blocks[0] = calloc(10, 100);
	blocks[1] = memalign(256, 10);
	blocks[2] = aligned_alloc(1024, 2048);
	blocks[3] = valloc(10);
	blocks[4] = pvalloc(10);
	printf(" %d", posix_memalign(&aligned, 4096, 10));
	blocks[5] = aligned;
	printf(" %d %d", *(char *)blocks[0],
	       (int)((size_t)blocks[1] % 256 + (size_t)blocks[2] % 1024 + (size_t)blocks[3] % 4096 +
		     (size_t)blocks[4] % 4096 + (size_t)blocks[5] % 4096));
	for (int i = 0; i < 6; i++)
		free(blocks[i]);
	printf(" %d\n", reallocarray(NULL, large, large) == NULL && errno == ENOMEM);
}

static void processes(char **environment)
{
	char *arguments[] = { "sh", "-c", "exit 9", NULL };
	int status = 0;
	pid_t pid = vfork();
	if (pid == 0)
		_exit(7);
	waitpid(pid, &status, 0);
	printf("vfork %d", WEXITSTATUS(status));
	printf(" spawn %d", posix_spawn(&pid, "/bin/sh", NULL, NULL, arguments, environment));
	waitpid(pid, &status, 0);
	printf(" %d", WEXITSTATUS(status));
	printf(" spawnp %d", posix_spawnp(&pid, "sh", NULL, NULL, arguments, environment));
	waitpid(pid, &status, 0);
	printf(" %d", WEXITSTATUS(status));
	char *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*mapped = 'm';
	mapped = mremap(mapped, 4096, 8192, MREMAP_MAYMOVE);
	printf(" mremap %c", *mapped);
	printf(" munmap %d", munmap(mapped, 8192));
	fflush(stdout);
	printf(" system %d\n", WEXITSTATUS(system("exit 3")));
}

int main(int argc, char **argv, char **environment)
{
	(void)argv;
	is_alone = argc > 1;
	threads();
	names();
	mutexes();
	conditions();
	c11_wait();
	rwlocks();
	spins();
	semaphores();
	barriers_and_once();
	memory();
	processes(environment);
	printf("dlerror %d\n", dlerror() == NULL);
	return 4;
}
