/* outside.c: order through the kernel: pipes, sockets, event counters, epoll, signals, locks of files, queues. For each way one
 * case where x is written before and behind it, and for some one where it is written at the wrong time. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "case.h"

static volatile int x;
static int ends[2], descriptor, listener;
static char byte;
static uint64_t one = 1, count;

static void need(long result)
{
	if (result < 0)
		abort();
}

/* WAY(name, tell, hear): one thread writes x and tells, the other hears and writes x. */
#define WAY(name, prepare, tell, hear)                                                                                 \
	BODY(name##_teller) { x = 1; tell; }                                                                           \
	BODY(name##_hearer) { hear; x = 2; }                                                                           \
	CASE(name) { prepare; threads(name##_teller, name##_hearer); }                                                 \
	BODY(name##_late_teller) { tell; x = 1; }                                                                      \
	CASE(name##_late) { prepare; threads(name##_late_teller, name##_hearer); }

WAY(pipe, need(pipe(ends)), need(write(ends[1], "x", 1)), need(read(ends[0], &byte, 1))) // @pipe
static struct iovec out = { "x", 1 }, in = { &byte, 1 };
WAY(vector, need(pipe2(ends, O_CLOEXEC)), need(writev(ends[1], &out, 1)), need(readv(ends[0], &in, 1))) // @vector
WAY(closed, need(pipe(ends)), need(close(ends[1])), need(read(ends[0], &byte, 1))) // @closed
WAY(copied, need(pipe(ends)); ends[1] = dup2(dup(ends[1]), 50), need(write(ends[1], "x", 1)), need(read(fcntl(ends[0], F_DUPFD, 60), &byte, 1))) // @copied
WAY(high, need(pipe(ends)); ends[1] = fcntl(ends[1], F_DUPFD, 700), need(write(ends[1], "x", 1)), need(read(ends[0], &byte, 1))) // @high
WAY(socket_pair, need(socketpair(AF_UNIX, SOCK_STREAM, 0, ends)), need(send(ends[1], "x", 1, 0)), need(recv(ends[0], &byte, 1, 0))) // @socket_pair
WAY(socket_pair_back, need(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends)), need(write(ends[0], "x", 1)), need(read(ends[1], &byte, 1))) // @socket_pair_back
WAY(shut, need(socketpair(AF_UNIX, SOCK_STREAM, 0, ends)), need(shutdown(ends[1], SHUT_WR)), need(recv(ends[0], &byte, 1, 0))) // @shut
static void event_hear(void) { need(read(descriptor, &count, 8)); }
WAY(event, need(descriptor = eventfd(0, 0)), need(write(descriptor, &one, 8)), event_hear()) // @event
static void poll_hear(int fd) { struct pollfd p = { fd, POLLIN, 0 }; need(poll(&p, 1, -1)); }
WAY(polled, need(descriptor = eventfd(0, 0)), need(write(descriptor, &one, 8)), poll_hear(descriptor)) // @polled
static void select_hear(int fd) { fd_set set; FD_ZERO(&set); FD_SET(fd, &set); need(select(fd + 1, &set, NULL, NULL, NULL)); }
WAY(selected, need(pipe(ends)), need(write(ends[1], "x", 1)), select_hear(ends[0])) // @selected
static void epoll_make(int fd)
{
	struct epoll_event e = { .events = EPOLLIN };
	need(listener = epoll_create1(0));
	need(epoll_ctl(listener, EPOLL_CTL_ADD, fd, &e));
}
static void epoll_hear(void) { struct epoll_event e; need(epoll_wait(listener, &e, 1, -1)); }
WAY(epolled, need(descriptor = eventfd(0, 0)); epoll_make(descriptor), need(write(descriptor, &one, 8)), epoll_hear()) // @epolled
/* What is handed over with the registration. */
static void epoll_tell(void) { struct epoll_event e = { .events = EPOLLIN }; need(epoll_ctl(listener, EPOLL_CTL_ADD, ends[0], &e)); }
WAY(registered, need(pipe(ends)); need(write(ends[1], "x", 1)); need(listener = epoll_create1(0)), epoll_tell(), epoll_hear()) // @registered
static struct sockaddr_in address;
static void listen_make(void)
{
	socklen_t size = sizeof address;
	address = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	need(listener = socket(AF_INET, SOCK_STREAM, 0));
	need(bind(listener, (void *)&address, sizeof address));
	need(listen(listener, 5));
	need(getsockname(listener, (void *)&address, &size));
}
static void connect_tell(void) { int fd = socket(AF_INET, SOCK_STREAM, 0); need(connect(fd, (void *)&address, sizeof address)); }
static void accept_hear(void) { need(accept(listener, NULL, NULL)); }
WAY(connected, listen_make(), connect_tell(), accept_hear()) // @connected
static char path[] = "fifo";
static void fifo_make(void) { unlink(path); need(mkfifo(path, 0600)); need(ends[0] = open(path, O_RDWR)); need(ends[1] = open(path, O_RDWR)); unlink(path); }
WAY(fifo, fifo_make(), need(write(ends[1], "x", 1)), need(read(ends[0], &byte, 1))) // @fifo
static void terminal_make(void)
{
	need(ends[0] = posix_openpt(O_RDWR | O_NOCTTY));
	need(grantpt(ends[0]));
	need(unlockpt(ends[0]));
	need(ends[1] = open(ptsname(ends[0]), O_RDWR | O_NOCTTY));
}
WAY(terminal, terminal_make(), need(write(ends[0], "x\n", 2)), need(read(ends[1], &byte, 1))) // @terminal

/* Signals. */
static volatile sig_atomic_t got;
static pthread_t target;
static void on_signal(int number) { (void)number; x = 2; got = 1; } // @on_signal
BODY(waits_for_signal) { while (!got) sched_yield(); }
static void signal_case(int is_late)
{
	signal(SIGUSR1, on_signal);
	pthread_create(&target, NULL, waits_for_signal, NULL);
	if (!is_late)
		x = 1;
	pthread_kill(target, SIGUSR1);
	if (is_late)
		x = 1; // @signal_late
	pthread_join(target, NULL);
}
CASE(handler) { signal_case(0); }
CASE(handler_late) { signal_case(1); }
/* A handler that was put there by another thread, and a signal that nobody of us sent. */
static _Atomic int step;
static volatile int prepared;
static void on_alarm(int number) { (void)number; prepared++; atomic_store_explicit(&step, 2, memory_order_relaxed); }
BODY(prepares) { prepared = 1; signal(SIGALRM, on_alarm); alarm(1); while (atomic_load_explicit(&step, memory_order_relaxed) != 2) usleep(100000); }
BODY(idles) { while (atomic_load_explicit(&step, memory_order_relaxed) != 2) usleep(100000); }
CASE(handler_installed) { threads(idles, prepares, idles); }
static sigset_t waited;
static void wait_make(void) { sigemptyset(&waited); sigaddset(&waited, SIGUSR2); pthread_sigmask(SIG_BLOCK, &waited, NULL); }
static void wait_hear(void) { int number; sigwait(&waited, &number); }
WAY(waited, wait_make(), kill(getpid(), SIGUSR2), wait_hear()) // @waited
static const struct itimerspec soon = { .it_value = { 0, 1000 } };
WAY(timer, need(descriptor = timerfd_create(CLOCK_MONOTONIC, 0)), need(timerfd_settime(descriptor, 0, &soon, NULL)), need(read(descriptor, &count, 8))) // @timer


/* Files are no order. */
static int file_a, file_b;
static void file_make(void) { unlink("file"); need(file_a = open("file", O_RDWR | O_CREAT, 0600)); need(file_b = open("file", O_RDWR)); unlink("file"); }
BODY(file_writer) { x = 1; need(write(file_a, "x", 1)); } // @file_writer
BODY(file_reader) { if (read(file_b, &byte, 1) == 1) x = 2; } // @file_reader
CASE(file) { file_make(); threads(file_writer, file_reader); }
/* Locks of files are. */
BODY(file_locked) { int fd = number ? file_a : file_b; need(flock(fd, LOCK_EX)); x++; need(flock(fd, LOCK_UN)); }
CASE(file_lock) { file_make(); threads(file_locked, file_locked); }
BODY(file_owned)
{
	struct flock lock = { .l_type = F_WRLCK, .l_len = 1 };
	int fd = number ? file_a : file_b;
	need(fcntl(fd, F_OFD_SETLKW, &lock));
	x++;
	lock.l_type = F_UNLCK;
	need(fcntl(fd, F_OFD_SETLK, &lock));
}
CASE(file_lock_owned) { file_make(); threads(file_owned, file_owned); }

/* A number that was closed is given again, also to another thread: what is kept by number needs no lock. */
static volatile int by_number[1024];
static int number_open(void) { int fd = open("/dev/null", O_RDONLY); need(fd); return fd; }
static int number_event(void) { int fd = eventfd(0, 0); need(fd); return fd; }
static int number_copy(void) { int fd = dup(0); need(fd); return fd; }
BODY(numbers)
{
	int fd = number == 0 ? number_open() : number == 1 ? number_event() : number_copy();
	by_number[fd]++;
	need(close(fd));
}
CASE(number) { threads(numbers, numbers, numbers); }
BODY(numbers_late) { int fd = number_open(); need(close(fd)); by_number[fd]++; } // @number_late
CASE(number_late) { threads(numbers_late, numbers_late); }

static _Atomic int number_step;
BODY(number_not_open) { x = 1; close(900); atomic_store_explicit(&number_step, 1, memory_order_relaxed); } // @number_not_open
BODY(number_taken) { while (!atomic_load_explicit(&number_step, memory_order_relaxed)) sched_yield(); need(dup2(0, 901)); need(dup2(0, 900)); x = 2; } // @number_taken
CASE(number_bad) { threads(number_not_open, number_taken); }

/* Queues and semaphores of System V. */
static int id;
static struct { long type; char text[1]; } message = { 1, "x" }, received;
static void queue_make(void) { need(id = msgget(IPC_PRIVATE, 0600)); }
BODY(queue_teller) { x = 1; need(msgsnd(id, &message, 1, 0)); }
BODY(queue_hearer) { need(msgrcv(id, &received, 1, 0, 0)); x = 2; }
CASE(queue) { queue_make(); threads(queue_teller, queue_hearer); msgctl(id, IPC_RMID, NULL); }
BODY(semaphores)
{
	struct sembuf down = { 0, -1, 0 }, up = { 0, 1, 0 };
	need(semop(id, &down, 1));
	x++;
	need(semop(id, &up, 1));
}
CASE(semaphore)
{
	need(id = semget(IPC_PRIVATE, 1, 0600));
	need(semctl(id, 0, SETVAL, 1));
	threads(semaphores, semaphores);
	semctl(id, 0, IPC_RMID);
}

#define TWO(name) CHOICE(name), CHOICE(name##_late)
CASES(TWO(pipe), TWO(vector), TWO(closed), TWO(copied), TWO(high), TWO(socket_pair), TWO(socket_pair_back), TWO(shut),
      TWO(event), TWO(polled), TWO(selected), TWO(epolled), TWO(registered), TWO(connected), TWO(fifo), TWO(terminal),
      CHOICE(handler), CHOICE(handler_late), CHOICE(handler_installed), TWO(waited), TWO(timer),
      CHOICE(file), CHOICE(file_lock), CHOICE(file_lock_owned), TWO(number), CHOICE(number_bad), CHOICE(queue), CHOICE(semaphore))

/*
 * case pipe: none
 * case pipe_late: pipe-pipe
 * case vector: none
 * case vector_late: vector-vector
 * case closed: none
 * case closed_late: closed-closed
 * case copied: none
 * case copied_late: copied-copied
 * case high: none
 * case high_late: high-high
 * case socket_pair: none
 * case socket_pair_late: socket_pair-socket_pair
 * case socket_pair_back: none
 * case socket_pair_back_late: socket_pair_back-socket_pair_back
 * case shut: none
 * case shut_late: shut-shut
 * case event: none
 * case event_late: event-event
 * case polled: none
 * case polled_late: polled-polled
 * case selected: none
 * case selected_late: selected-selected
 * case epolled: none
 * case epolled_late: epolled-epolled
 * case registered: none
 * case registered_late: registered-registered
 * case connected: none
 * case connected_late: connected-connected
 * case fifo: none
 * case fifo_late: fifo-fifo
 * case terminal: none
 * case terminal_late: terminal-terminal
 * case waited: none
 * case waited_late: waited-waited
 * case timer: none
 * case timer_late: timer-timer
 * case handler: none
 * case handler_late: on_signal-signal_late
 * case handler_installed: none
 * case file: file_writer-file_reader
 * case file_lock: none
 * case file_lock_owned: none
 * case number: none
 * case number_late: number_late-number_late
 * case number_bad: number_not_open-number_taken
 * case queue: none
 * case semaphore: none
 */
