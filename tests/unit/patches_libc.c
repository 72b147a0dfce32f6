/* patches_libc.c: see patches_libc.h. */
#include "patches_libc.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <locale.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define SHOW(expression) printf("%s = %ld\n", #expression, (long)(expression))
#define SHOW_ERROR(expression) (errno = 0, printf("%s = %ld", #expression, (long)(expression)), printf(" %d\n", errno))

static void use_files(void)
{
	char folder[] = "/tmp/heddle-patches-XXXXXX", path[128], text[64] = "";
	SHOW(mkdtemp(folder) == folder);
	snprintf(path, sizeof path, "%s/file", folder);
	FILE *file = fopen(path, "w+");
	for (int i = 0; i < 10000; i++)
		fprintf(file, "line %d\n", i);
	SHOW(fflush(file));
	rewind(file);
	long sum = 0;
	while (fgets(text, sizeof text, file))
		sum += atol(text + 5);
	SHOW(sum);
	SHOW(fseek(file, -10, SEEK_END));
	SHOW(ftell(file));
	SHOW(fclose(file));
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat status;
	SHOW(fstat(fd, &status));
	SHOW(status.st_size);
	SHOW(pread(fd, text, 9, 7));
	SHOW(pwrite(fd, "x", 1, 100000));
	SHOW(lseek(fd, 0, SEEK_END));
	SHOW(ftruncate(fd, 5));
	struct iovec parts[2] = { { text, 3 }, { text + 10, 20 } };
	SHOW(readv(fd, parts, 2));
	SHOW(fcntl(fd, F_GETFD));
	SHOW(fcntl(fd, F_SETFL, O_APPEND));
	SHOW(fsync(fd));
	SHOW(posix_fallocate(fd, 0, 4096));
	char *map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	SHOW(map[0]);
	SHOW(munmap(map, 4096));
	SHOW(close(fd));
	SHOW_ERROR(close(fd));
	SHOW_ERROR(open("/nonexistent/file", O_RDONLY));
	SHOW_ERROR(read(-1, text, 1));
	SHOW_ERROR(chmod(path, 0600));
	SHOW(access(path, R_OK));
	SHOW(symlink("file", strcat(strcpy(text, folder), "/link")) == 0 || strlen(text) > 60);
	glob_t found;
	SHOW(glob(strcat(strcpy(text, folder), "/*"), 0, NULL, &found));
	SHOW(found.gl_pathc);
	globfree(&found);
	struct dirent **entries;
	int count = scandir(folder, &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		puts(entries[i]->d_name);
		unlink(strcat(strcat(strcpy(path, folder), "/"), entries[i]->d_name));
		free(entries[i]);
	}
	free(entries);
	SHOW(rmdir(folder));
	SHOW(tmpfile() != NULL);
	SHOW(getcwd(path, sizeof path) != NULL);
}

static int wait_for(pid_t child)
{
	int status;
	return waitpid(child, &status, 0) == child ? status : -1;
}

static void *same(void *data)
{
	return data;
}

static void use_processes(void)
{
	extern char **environ;
	fflush(stdout);
	pid_t child = fork();
	if (child == 0)
		_exit(17);
	SHOW(wait_for(child));
	int count = 0;
	for (int i = 0; i < 20; i++) {
		volatile long guard[4] = { 1, 2, 3, 4 };
		child = vfork();
		if (child == 0) {
			volatile char fill[2048]; /* what the parent has below its frame is lost */
			memset((char *)fill, 0xee, sizeof fill);
			if (i % 2)
				_exit(i);
			execl("/bin/sh", "sh", "-c", "exit 9", NULL);
			_exit(1);
		}
		count += WEXITSTATUS(wait_for(child)) == (i % 2 ? i : 9) && guard[0] + guard[3] == 5;
	}
	SHOW(count);
	SHOW(system("exit 3"));
	char *const arguments[] = { "sh", "-c", "exit 21", NULL };
	SHOW(posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ));
	SHOW(wait_for(child));
	SHOW(posix_spawn(&child, "/nonexistent", NULL, NULL, arguments, environ));
	char text[64] = "";
	FILE *pipe = popen("echo from a child; cat >/dev/null", "r");
	SHOW(fgets(text, sizeof text, pipe) != NULL);
	fputs(text, stdout);
	SHOW(pclose(pipe));
	fflush(stdout);
	child = fork(); /* a child with threads of its own */
	if (child == 0) {
		pthread_t thread;
		void *result = NULL;
		pthread_create(&thread, NULL, same, &child);
		pthread_join(thread, &result);
		_exit(result ? 5 : 6);
	}
	SHOW(wait_for(child));
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static long counter;
static __thread long own;
static int turn;

static void *count_up(void *number)
{
	for (int i = 0; i < 2000; i++) {
		pthread_mutex_lock(&mutex);
		while (i < 50 && turn % 4 != (int)(intptr_t)number)
			pthread_cond_wait(&condition, &mutex);
		if (i < 50)
			turn++;
		counter++;
		own++;
		pthread_cond_broadcast(&condition);
		pthread_mutex_unlock(&mutex);
		if (i == 100) {
			char *memory = malloc(1 << 20);
			memset(memory, 1, 1 << 20);
			free(memory);
		}
	}
	return (void *)own;
}

static void *never_ends(void *data)
{
	int *ends = data;
	char byte;
	for (;;)
		if (read(ends[0], &byte, 1) < 0)
			return NULL;
}

static void note_cleanup(void *data)
{
	++*(int *)data;
}

static void *cleans_up(void *data)
{
	pthread_cleanup_push(note_cleanup, data);
	for (;;)
		sleep(100);
	pthread_cleanup_pop(1);
	return NULL;
}

static void use_threads(void)
{
	pthread_t threads[8];
	long sum = 0;
	void *result;
	for (long i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, count_up, (void *)i);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &result);
		sum += (long)result;
	}
	SHOW(sum);
	SHOW(counter);
	int ends[2], cleaned = 0;
	SHOW(pipe(ends));
	pthread_create(&threads[0], NULL, never_ends, ends);
	usleep(2000);
	SHOW(pthread_cancel(threads[0]));
	SHOW(pthread_join(threads[0], &result));
	SHOW(result == PTHREAD_CANCELED);
	pthread_create(&threads[0], NULL, cleans_up, &cleaned);
	usleep(2000);
	SHOW(pthread_cancel(threads[0]));
	SHOW(pthread_join(threads[0], &result));
	SHOW(cleaned);
	SHOW(pthread_setname_np(pthread_self(), "patched"));
	struct timespec past = { 1, 0 };
	sem_t semaphore;
	sem_init(&semaphore, 0, 0);
	SHOW_ERROR(sem_timedwait(&semaphore, &past));
	close(ends[0]);
	close(ends[1]);
}

static volatile sig_atomic_t signal_count, alarm_count;

static void on_signal(int number)
{
	int saved = errno;
	char text[16];
	ssize_t got = read(-1, text, 1);
	signal_count += number == SIGUSR1 && got < 0;
	alarm_count += number == SIGALRM;
	errno = saved;
}

static void *send_signal(void *to)
{
	usleep(5000);
	pthread_kill(*(pthread_t *)to, SIGUSR1);
	return NULL;
}

static void use_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	sigset_t set, old;
	char byte;
	int ends[2];
	pthread_t self = pthread_self(), thread;
	SHOW(sigaction(SIGUSR1, &action, NULL));
	SHOW(sigaction(SIGALRM, &action, NULL));
	for (int i = 0; i < 100; i++)
		raise(SIGUSR1);
	SHOW(signal_count);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	SHOW(sigprocmask(SIG_BLOCK, &set, &old));
	SHOW(kill(getpid(), SIGUSR1));
	SHOW(signal_count);
	SHOW_ERROR(sigsuspend(&old));
	SHOW(signal_count);
	SHOW(sigprocmask(SIG_SETMASK, &old, NULL));
	SHOW(pipe(ends));
	pthread_create(&thread, NULL, send_signal, &self);
	SHOW_ERROR(read(ends[0], &byte, 1));
	pthread_join(thread, NULL);
	SHOW(signal_count);
	struct itimerval timer = { { 0, 100 }, { 0, 100 } };
	setitimer(ITIMER_REAL, &timer, NULL);
	long sum = 0;
	while (alarm_count < 200)
		sum += getppid() != getpid();
	timer = (struct itimerval){ { 0, 0 }, { 0, 0 } };
	setitimer(ITIMER_REAL, &timer, NULL);
	SHOW(sum > 0);
	close(ends[0]);
	close(ends[1]);
}

static ucontext_t contexts[2];
static int visits;

static void in_context(void)
{
	visits++;
	swapcontext(&contexts[1], &contexts[0]);
	visits++;
}

static void use_contexts(void)
{
	static char stack[65536];
	getcontext(&contexts[1]);
	contexts[1].uc_stack.ss_sp = stack;
	contexts[1].uc_stack.ss_size = sizeof stack;
	contexts[1].uc_link = &contexts[0];
	makecontext(&contexts[1], in_context, 0);
	SHOW(swapcontext(&contexts[0], &contexts[1]));
	SHOW(swapcontext(&contexts[0], &contexts[1]));
	SHOW(visits);
}

static void use_sockets(void)
{
	int pair[2];
	char text[16] = "";
	SHOW(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	SHOW(send(pair[0], "hello", 5, 0));
	struct pollfd wanted = { pair[1], POLLIN, 0 };
	SHOW(poll(&wanted, 1, 100));
	struct timeval limit = { 0, 1000 };
	fd_set set;
	FD_ZERO(&set);
	FD_SET(pair[1], &set);
	SHOW(select(pair[1] + 1, &set, NULL, NULL, &limit));
	int epoll = epoll_create1(0);
	struct epoll_event event = { EPOLLIN, { .fd = pair[1] } };
	SHOW(epoll_ctl(epoll, EPOLL_CTL_ADD, pair[1], &event));
	SHOW(epoll_wait(epoll, &event, 1, 100));
	SHOW(recv(pair[1], text, sizeof text, 0));
	puts(text);
	int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof address;
	SHOW(bind(listener, (struct sockaddr *)&address, size));
	SHOW(listen(listener, 1));
	SHOW(getsockname(listener, (struct sockaddr *)&address, &size));
	SHOW(connect(client, (struct sockaddr *)&address, size));
	int server = accept(listener, NULL, NULL);
	SHOW(sendto(server, "x", 1, MSG_NOSIGNAL, NULL, 0));
	SHOW(recvfrom(client, text, 1, 0, NULL, NULL));
	SHOW(shutdown(server, SHUT_RDWR));
	int events = eventfd(3, 0);
	uint64_t number = 0;
	SHOW(read(events, &number, 8));
	SHOW(number);
	int all[] = { pair[0], pair[1], epoll, listener, client, server, events };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		close(all[i]);
	struct addrinfo *list = NULL, hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
	SHOW(getaddrinfo("localhost", "80", &hints, &list));
	if (list)
		puts(inet_ntop(AF_INET, &((struct sockaddr_in *)list->ai_addr)->sin_addr, text, sizeof text));
	freeaddrinfo(list);
}

static void use_environment(void)
{
	printf("%s\n", setlocale(LC_ALL, ""));
	printf("%s\n", setlocale(LC_ALL, "C.UTF-8"));
	setenv("TZ", "Europe/Berlin", 1);
	tzset();
	time_t when = 1700000000;
	char text[64];
	strftime(text, sizeof text, "%c %Z", localtime(&when));
	puts(text);
	struct passwd *user = getpwuid(geteuid());
	puts(user ? user->pw_name : "-");
	SHOW(getgrgid(0) != NULL);
	struct utsname system_name;
	SHOW(uname(&system_name));
	struct rlimit limit;
	SHOW(getrlimit(RLIMIT_STACK, &limit));
	struct rusage usage;
	SHOW(getrusage(RUSAGE_SELF, &usage));
	struct timespec short_time = { 0, 1000000 }, now, then;
	clock_gettime(CLOCK_MONOTONIC, &now);
	SHOW(nanosleep(&short_time, NULL));
	clock_gettime(CLOCK_MONOTONIC, &then);
	SHOW(then.tv_sec > now.tv_sec || then.tv_nsec - now.tv_nsec >= 1000000);
	SHOW(sysconf(_SC_PAGESIZE));
	SHOW(isatty(-1));
	void *block = malloc(64 << 20);
	SHOW(block != NULL);
	free(block);
	SHOW(getpid() == getpid());
	SHOW_ERROR(mq_open("/heddle-patches-none", O_RDONLY));
}

void use_libc(void)
{
	use_files();
	use_processes();
	use_threads();
	use_signals();
	use_contexts();
	use_sockets();
	use_environment();
	fflush(stdout);
}
