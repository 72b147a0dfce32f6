/*
 * answers.c: see answers.h.
 *
 * A file, socket or pipe is known by the number of the call that opened it in the log, so it is the same whichever thread opened it, and when. What a
 * call asks for is a hash: of the object and, for calls that take what comes next, of that fact; else of the call, its arguments and the names that
 * it is given. Calls that are in no table have no answer.
 */
#include "world/answers.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "rt/report.h"
#include "rt/sys.h"
#include "world/kernel/calls.h"
#include "world/kernel/descriptor.h"
#include "world/kernel/landing.h"
#include "world/kernel/output.h"
#include "world/parts.h"

enum asked_flag {
	ASKED_TAKES = 1u << 0,    /* what comes next: reading, accepting, moving in a file */
	ASKED_WRITES = 1u << 1,   /* size_bytes: how much, arguments: a hash of it */
	ASKED_INTERNAL = 1u << 2, /* on what only this process uses */
	ASKED_FILE = 1u << 3,     /* opens or reads a file, or writes to it */
	ASKED_NOT = 1u << 4,      /* this call cannot be answered */
	ASKED_LOOKS = 1u << 5,    /* at what files have become: see changes */
};

/* What decides the result of a call, besides its descriptor: bits of the arguments that are numbers, and of those that are names. */
static const struct asking {
	uint16_t number;
	uint8_t numbers, names;
	bool is_next; /* its result depends on the calls before it on the same file */
} askings[] = {
	{ SYS_read, 0, 0, true },
	{ SYS_readv, 0, 0, true },
	{ SYS_recvfrom, 1 << 3, 0, true },
	{ SYS_recvmsg, 1 << 2, 0, true },
	{ SYS_accept, 0, 0, true },
	{ SYS_accept4, 1 << 3, 0, true },
	{ SYS_lseek, 1 << 1 | 1 << 2, 0, true },
	{ SYS_getdents, 0, 0, true },
	{ SYS_getdents64, 0, 0, true },
	{ SYS_pread64, 1 << 2 | 1 << 3, 0, false },
	{ SYS_write, 0, 0, false },
	{ SYS_writev, 0, 0, false },
	{ SYS_sendto, 0, 0, false },
	{ SYS_sendmsg, 0, 0, false },
	{ SYS_pwrite64, 0, 0, false },
	{ SYS_poll, 0, 0, true },
	{ SYS_ppoll, 0, 0, true },
	{ SYS_select, 0, 0, true },
	{ SYS_pselect6, 0, 0, true },
	{ SYS_epoll_wait, 0, 0, true },
	{ SYS_epoll_pwait, 0, 0, true },
	{ SYS_epoll_pwait2, 0, 0, true },
	{ SYS_open, 1 << 1, 1 << 0, false },
	{ SYS_openat, 1 << 2, 1 << 1, false },
	{ SYS_creat, 0, 1 << 0, false },
	{ SYS_close, 0, 0, false },
	{ SYS_stat, 0, 1 << 0, false },
	{ SYS_lstat, 0, 1 << 0, false },
	{ SYS_fstat, 0, 0, false },
	{ SYS_newfstatat, 1 << 3, 1 << 1, false },
	{ SYS_statx, 1 << 2 | 1 << 3, 1 << 1, false },
	{ SYS_access, 1 << 1, 1 << 0, false },
	{ SYS_faccessat, 1 << 2, 1 << 1, false },
	{ SYS_faccessat2, 1 << 2 | 1 << 3, 1 << 1, false },
	{ SYS_readlink, 1 << 2, 1 << 0, false },
	{ SYS_readlinkat, 1 << 3, 1 << 1, false },
	{ SYS_unlink, 0, 1 << 0, false },
	{ SYS_unlinkat, 1 << 2, 1 << 1, false },
	{ SYS_mkdir, 1 << 1, 1 << 0, false },
	{ SYS_rename, 0, 1 << 0 | 1 << 1, false },
	{ SYS_chdir, 0, 1 << 0, false },
	{ SYS_getcwd, 1 << 1, 0, false },
	{ SYS_mmap, 1 << 1 | 1 << 2 | 1 << 3 | 1 << 5, 0, false },
	{ SYS_fcntl, 1 << 1 | 1 << 2, 0, false },
	{ SYS_ioctl, 1 << 1, 0, false },
	{ SYS_socket, 1 << 0 | 1 << 1 | 1 << 2, 0, false },
	{ SYS_socketpair, 1 << 0 | 1 << 1 | 1 << 2, 0, false },
	{ SYS_bind, 0, 0, false },
	{ SYS_connect, 0, 0, false },
	{ SYS_listen, 0, 0, false },
	{ SYS_shutdown, 1 << 1, 0, false },
	{ SYS_getsockname, 0, 0, false },
	{ SYS_getpeername, 0, 0, false },
	{ SYS_getsockopt, 1 << 1 | 1 << 2, 0, false },
	{ SYS_setsockopt, 1 << 1 | 1 << 2, 0, false },
	{ SYS_pipe, 0, 0, false },
	{ SYS_pipe2, 1 << 1, 0, false },
	{ SYS_eventfd, 1 << 0, 0, false },
	{ SYS_eventfd2, 1 << 0 | 1 << 1, 0, false },
	{ SYS_epoll_create, 0, 0, false },
	{ SYS_epoll_create1, 1 << 0, 0, false },
	{ SYS_epoll_ctl, 1 << 1 | 1 << 2, 0, false },
	{ SYS_dup, 0, 0, false },
	{ SYS_dup2, 1 << 1, 0, false },
	{ SYS_dup3, 1 << 1 | 1 << 2, 0, false },
	{ SYS_fsync, 0, 0, false },
	{ SYS_fdatasync, 0, 0, false },
	{ SYS_ftruncate, 1 << 1, 0, false },
	{ SYS_umask, 1 << 0, 0, false },
	{ SYS_getuid, 0, 0, false },
	{ SYS_geteuid, 0, 0, false },
	{ SYS_getgid, 0, 0, false },
	{ SYS_getegid, 0, 0, false },
	{ SYS_uname, 0, 0, false },
	{ SYS_sysinfo, 0, 0, false },
	{ SYS_getrusage, 1 << 0, 0, false },
};

static const struct asking *asking_of(long number)
{
	for (size_t i = 0; i < sizeof askings / sizeof *askings; i++)
		if (askings[i].number == number)
			return &askings[i];
	return NULL;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0xff51afd7ed558ccdul;
	return hash ^ hash >> 32;
}

/* What descriptors stand for. */

#define DESCRIPTORS 65536u

struct object {
	uint64_t name; /* the call that opened it, in the log; 0: it was open, and its number is its name */
	uint64_t told; /* a hash of what was written to it */
	uint64_t path; /* of a file: a hash of the name by which it was opened */
	bool is_file, is_open;
};

static struct object *objects; /* by descriptor */

#define CHANGED 65536u

/* What was done to files: see below. */
static struct change {
	uint64_t path; /* 0: free */
	uint64_t all;  /* a hash of all changes, in their order */
} * changed;

static bool is_on(void)
{
	const uint32_t flags = world.channel->flags;
	if (!world.is_replaying || !(flags & (HEDDLE_CONTROL_ASKED | HEDDLE_CONTROL_ONWARD)))
		return false;
	if (!objects)
		objects = world_pages(DESCRIPTORS * sizeof *objects);
	if (!changed)
		changed = world_pages(CHANGED * sizeof *changed);
	if (!objects || !changed)
		world_fail(HEDDLE_OUTCOME_REFUSED, "out of memory", NULL);
	return true;
}

static struct object *object_of(int64_t fd)
{
	return fd >= 0 && fd < (int64_t)DESCRIPTORS ? &objects[fd] : NULL;
}

static uint64_t name_of(int64_t fd)
{
	const struct object *object = object_of(fd);
	return object && object->name ? object->name : mix(0, (uint64_t)fd);
}

/* What the program did to files, by the names that it gave: a file that is made, written or removed is another one for whoever opens, reads or asks
 * for it next. A file that has two names (a link, another working directory) is two files here. */

#define ANYWHERE 1u /* paths that no name has: changes by calls whose names are not known here, */
#define ENTRIES 3u  /* and those of all folders */

/* Without room, two paths are one: that can only end a run. */
static struct change *change_of(uint64_t path)
{
	uint32_t at = (uint32_t)(path % CHANGED), left = CHANGED;
	while (changed[at].path && changed[at].path != path && --left)
		at = (at + 1) % CHANGED;
	return &changed[at];
}

static void add_change(uint64_t path, uint64_t how)
{
	struct change *old = change_of(path);
	if (!old->path)
		old->path = path;
	old->all = mix(old->all, how);
}

/* The path of a name in the folder; adds what was done to it, and to the folders in the name, to *all. */
static uint64_t path_in(int64_t folder, const char *name, uint64_t *all)
{
	const struct object *object = *name == '/' ? NULL : object_of(folder);
	uint64_t path = object ? object->path : 0;
	while (name[0] == '.' && name[1] == '/')
		name += 2;
	for (; *name; name++) {
		if (*name == '/')
			*all = mix(*all, change_of(path | 1)->all);
		path = mix(path, (unsigned char)*name);
	}
	*all = mix(*all, change_of(path | 1)->all);
	return path;
}

/* The path that this argument names. All calls that take a folder take it first. */
static uint64_t path_of(long number, unsigned argument, const uint64_t a[6], uint64_t *all)
{
	return path_in(argument && number != SYS_rename ? (int)a[0] : AT_FDCWD, (const char *)a[argument], all);
}

static bool changes_names(long number)
{
	switch (number) {
	case SYS_rename:
	case SYS_renameat:
	case SYS_renameat2:
	case SYS_mkdir:
	case SYS_mkdirat:
	case SYS_rmdir:
	case SYS_link:
	case SYS_linkat:
	case SYS_unlink:
	case SYS_unlinkat:
	case SYS_symlink:
	case SYS_symlinkat:
	case SYS_mknod:
	case SYS_mknodat:
	case SYS_truncate:
	case SYS_fallocate:
		return true;
	}
	return false;
}

/* After the call: the names that it makes, changes or removes. Returns the path of the last. */
static uint64_t note_changes(long number, const uint64_t a[6])
{
	const struct asking *asking = asking_of(number);
	const struct object *object = object_of((int)a[0]);
	const bool is_made = number == SYS_creat || (number == SYS_open && a[1] & (O_CREAT | O_TRUNC)) ||
			     (number == SYS_openat && a[2] & (O_CREAT | O_TRUNC));
	const bool is_changed = is_made || changes_names(number);
	uint64_t path = 0, ignored = 0;
	if (number == SYS_ftruncate && object && object->is_file)
		add_change(object->path | 1, a[1]);
	if (is_changed && (!asking || !asking->names))
		add_change(ANYWHERE, (uint64_t)number);
	for (unsigned i = 0; asking && i < 2; i++) {
		if (!(asking->names >> i & 1))
			continue;
		path = path_of(number, i, a, &ignored);
		if (is_changed)
			add_change(path | 1, (uint64_t)number);
	}
	if (is_changed)
		add_change(ENTRIES, path);
	return path;
}

/* What was done to the files that the call looks at. */
static uint64_t changes_for(long number, const uint64_t a[6], const struct asking *asking, const struct object *object)
{
	uint64_t all = change_of(ANYWHERE)->all;
	for (unsigned i = 0; i < 2; i++)
		if (asking->names >> i & 1)
			path_of(number, i, a, &all);
	if (object && object->is_file)
		all = mix(all, change_of(object->path | 1)->all);
	return number == SYS_getdents || number == SYS_getdents64 ? mix(all, change_of(ENTRIES)->all) : all;
}

/* Calls on a file whose result does not depend on what is in it. */
static bool is_indifferent(long number)
{
	return number == SYS_close || number == SYS_fcntl || number == SYS_dup || number == SYS_dup2 ||
	       number == SYS_dup3 || number == SYS_fsync || number == SYS_fdatasync || number == SYS_ftruncate;
}

static void set_object(int64_t fd, uint64_t name, bool is_file, uint64_t path)
{
	struct object *object = object_of(fd);
	if (object)
		*object = (struct object){ .name = mix(name, 1), .path = path, .is_file = is_file, .is_open = true };
}

static uint32_t awaited_count; /* threads that wait for an answer */

static void wake_waiting(void)
{
	for (uint32_t i = 0; i < world.live_count && awaited_count; i++)
		if (world.live[i]->state == THREAD_BLOCKED && world.live[i]->wait.kind == WAIT_RETRY)
			world_ready(world.live[i]);
}

static void set_closed(int64_t from, int64_t to)
{
	for (int64_t fd = from < 0 ? 0 : from; fd <= to && fd < (int64_t)DESCRIPTORS; fd++)
		objects[fd].is_open = false;
	/* A call that got this number in the recorded run may wait for it. */
	if (world.has_turned)
		wake_waiting();
}

static uint64_t last_ordinal; /* of the call that was replayed or answered last */

static bool opens_file(long number)
{
	return number == SYS_open || number == SYS_openat || number == SYS_creat;
}

void answers_after(long number, const uint64_t a[6], long result)
{
	const struct call *call = call_of(number);
	const uint64_t name = last_ordinal * 2;
	if (!is_on() || result < 0)
		return;
	const uint64_t path = note_changes(number, a);
	const bool is_copy = number == SYS_dup || number == SYS_dup2 || number == SYS_dup3 ||
			     (number == SYS_fcntl && (a[1] == F_DUPFD || a[1] == F_DUPFD_CLOEXEC));
	if (number == SYS_close)
		set_closed((int)a[0], (int)a[0]);
	else if (number == SYS_close_range && !(a[2] & CLOSE_RANGE_CLOEXEC))
		set_closed((uint32_t)a[0], (uint32_t)a[1]);
	if (is_copy && object_of(result) && object_of((int)a[0])) {
		*object_of(result) = *object_of((int)a[0]);
		object_of(result)->is_open = true;
	} else if (number == SYS_pipe || number == SYS_pipe2 || number == SYS_socketpair) {
		const int *pair = (const int *)a[number == SYS_socketpair ? 3 : 0];
		set_object(pair[0], name, false, 0);
		set_object(pair[1], name + 1, false, 0);
	} else if (call->flags & CALL_OPENS && number != SYS_ioctl && number != SYS_fcntl) {
		set_object(result, name, opens_file(number), path);
	}
}

void answers_said(int fd, const unsigned char *bytes, size_t size)
{
	struct object *object = is_on() ? object_of(fd) : NULL;
	for (size_t i = 0; object && i < size; i++)
		object->told = (object->told ^ bytes[i]) * 0x100000001b3ul + 1;
	for (size_t i = 0; object && object->is_file && i < size; i++)
		add_change(object->path | 1, bytes[i]);
}

/* What a call asks for. */

static uint64_t mix_name(uint64_t hash, const char *name)
{
	for (; *name; name++)
		hash = mix(hash, (unsigned char)*name);
	return mix(hash, 0);
}

/* The address that is connected to. */
static uint64_t mix_address(uint64_t hash, const unsigned char *address, uint64_t size)
{
	for (uint64_t i = 0; address && i < size && i < sizeof(struct sockaddr_storage); i++)
		hash = mix(hash, address[i]);
	return mix(hash, size);
}

/* Bytes that the call can take; UINT64_MAX: its arguments do not say. */
static uint64_t room_of(long number, const uint64_t a[6])
{
	const struct iovec *parts = (const struct iovec *)a[1];
	uint64_t count = a[2], total = 0;
	if (number == SYS_read || number == SYS_recvfrom || number == SYS_getdents || number == SYS_getdents64)
		return a[2];
	if (number == SYS_recvmsg) {
		const struct msghdr *message = (const struct msghdr *)a[1];
		parts = message->msg_iov;
		count = message->msg_iovlen;
	} else if (number != SYS_readv) {
		return UINT64_MAX;
	}
	for (uint64_t i = 0; i < count; i++)
		total += parts[i].iov_len;
	return total;
}

static void ask_of(struct log_asked *asked, long number, const uint64_t a[6])
{
	const struct call *call = call_of(number);
	const struct asking *asking = asking_of(number);
	const int which = number == SYS_mmap ? 4 : call->descriptor;
	const int64_t fd = which < 0 ? -1 : (int)a[which];
	const struct object *object = object_of(fd);
	uint64_t hash = mix(0x5eed, which < 0 ? 0 : name_of(fd)), written = 0;
	if (!asking) {
		asked->flags = ASKED_NOT;
		return;
	}
	if (fd >= 0 && descriptor_is_internal((int)fd) && !(call->flags & CALL_POLL))
		asked->flags |= ASKED_INTERNAL;
	if (opens_file(number) || (object && object->is_file))
		asked->flags |= ASKED_FILE;
	if (object)
		asked->told = object->told;
	if ((asking->names || asked->flags & ASKED_FILE) && !is_indifferent(number)) {
		asked->flags |= ASKED_LOOKS;
		asked->changes = changes_for(number, a, asking, object);
	}
	asked->arguments = (uint64_t)number;
	if (output_asked(number, a, &asked->size_bytes, &written)) {
		asked->flags |= ASKED_WRITES;
		asked->wants = mix(hash, 1);
		asked->arguments = written;
		return;
	}
	for (unsigned i = 0; i < 6; i++) {
		if (asking->numbers >> i & 1)
			asked->arguments = mix(asked->arguments, (uint32_t)a[i]);
		if (asking->names >> i & 1)
			asked->arguments = mix_name(asked->arguments, (const char *)a[i]);
	}
	if (number == SYS_connect)
		asked->arguments = mix_address(asked->arguments, (const unsigned char *)a[1], a[2]);
	asked->size_bytes = room_of(number, a);
	if (call->flags & CALL_POLL) {
		asked->wants = mix(mix(hash, 2), world.current->lineage);
	} else if (asking->is_next) {
		asked->flags |= ASKED_TAKES;
		asked->wants = mix(hash, 3);
	} else {
		asked->wants = mix(mix(hash, 4), asked->arguments);
	}
}

static void ask(struct log_asked *asked, long number, const uint64_t a[6])
{
	struct thread *self = world.current;
	struct landing *outer = self->landing, landing;
	memset(asked, 0, sizeof *asked);
	if (!landing_prepare(&landing)) {
		self->landing = &landing;
		ask_of(asked, number, a);
	} else {
		asked->flags = ASKED_NOT;
	}
	self->landing = outer;
	asked->is_known = true;
}

void answers_note(long number, const uint64_t a[6])
{
	struct log_asked asked;
	if (!is_on() || world_has_turned())
		return;
	last_ordinal = log_next.value[2];
	if (!(world.channel->flags & HEDDLE_CONTROL_ASKED) || !world.is_copying)
		return;
	ask(&asked, number, a);
	log_write_asked(&asked);
}

/* The rest of the log. */

struct answer_kept {
	struct log_call call;
	struct log_asked asked;
	uint32_t next; /* the one after it that is wanted by the same; 0: none */
};

static struct answer_kept *kept; /* from 1 */
static uint32_t kept_count, kept_room;
static uint32_t *first, *last; /* of each that is wanted, by a hash */
static uint32_t slot_count;
static uint32_t *internal; /* those on what only this process uses, in the order of the log */
static uint32_t internal_count, internal_next;
static const char *refusal;  /* why nothing can be answered; null: it can */
static bool is_file_changed; /* a file was written otherwise than in the recorded run */

static uint32_t slot_of(uint64_t wants)
{
	uint32_t at = (uint32_t)(wants % slot_count);
	while (last[at] && kept[last[at]].asked.wants != wants)
		at = (at + 1) % slot_count;
	return at;
}

static void count(void)
{
	kept_room += log_next.tag == HEDDLE_RECORD_CALL;
}

/* The world's own timers go on by themselves. */
static bool is_of_timer(void)
{
	siginfo_t info;
	memset(&info, 0, sizeof info);
	memcpy(&info, log_next.bytes, log_next.value[1] < sizeof info ? log_next.value[1] : sizeof info);
	return info.si_code == SI_TIMER ||
	       (info.si_code == SI_KERNEL &&
		(info.si_signo == SIGALRM || info.si_signo == SIGVTALRM || info.si_signo == SIGPROF));
}

static void keep(void)
{
	if (log_next.tag == HEDDLE_RECORD_SIGNAL && !is_of_timer())
		refusal = "a signal came from outside after the race, and it is not known where it belongs now";
	if (log_next.tag == HEDDLE_RECORD_FILE)
		refusal = "files that are mapped into memory were changed by calls after the race";
	if (log_next.tag != HEDDLE_RECORD_CALL || !log_asked.is_known || log_asked.flags & ASKED_NOT)
		return;
	const uint32_t at = ++kept_count;
	const uint32_t slot = slot_of(log_asked.wants);
	kept[at] = (struct answer_kept){ .asked = log_asked, .call = log_this_call() };
	if (last[slot])
		kept[last[slot]].next = at;
	else
		first[slot] = at;
	last[slot] = at;
	if (log_asked.flags & ASKED_INTERNAL)
		internal[internal_count++] = at;
}

static void *room(uint64_t count_of, size_t size)
{
	void *at = world_pages(count_of * size);
	if (!at)
		world_fail(HEDDLE_OUTCOME_REFUSED, "out of memory", NULL);
	return at;
}

uint64_t answers_turn_event(void)
{
	const struct heddle_channel *channel = world.channel;
	return channel->flags & HEDDLE_CONTROL_ONWARD && world.is_replaying && !world.has_turned && world.is_main
		       ? channel->hold.event
		       : 0;
}

void answers_turn(void)
{
	is_on();
	log_each(count);
	slot_count = kept_room * 2 + 1;
	kept = room(kept_room + 1, sizeof *kept);
	internal = room(kept_room + 1, sizeof *internal);
	first = room(slot_count, sizeof *first);
	last = room(slot_count, sizeof *last);
	log_each(keep);
	log_turn();
	if (refusal)
		answers_end(refusal);
	/* Those that wait for the outside ask again, now of the log. */
	for (uint32_t i = 0; i < world.live_count; i++)
		if (world.live[i]->state == THREAD_BLOCKED && world.live[i]->wait.kind == WAIT_RETRY)
			world_ready(world.live[i]);
}

void answers_end(const char *why)
{
	report_note("the log has no answer:", why);
	report_threads();
	world_end(HEDDLE_OUTCOME_UNANSWERED, 0);
}

bool answers_are_awaited(void)
{
	return awaited_count != 0;
}

static enum answer wait_for_others(void)
{
	struct thread *self = world.current;
	self->wait = (struct wait){ .kind = WAIT_RETRY, .deadline_ns = NO_DEADLINE, .is_interruptible = true };
	awaited_count++;
	log_write_block();
	const enum wake wake = thread_block(self);
	awaited_count--;
	return wake == WAKE_SIGNAL ? ANSWER_INTERRUPTED : ANSWER_LATER;
}

/* How much of what is written is taken: all, unless the recorded run says otherwise. */
static long taken(const struct log_asked *asked, const struct answer_kept *recorded)
{
	if (!recorded || recorded->call.result == (long)recorded->asked.size_bytes)
		return (long)asked->size_bytes;
	if (recorded->asked.size_bytes != asked->size_bytes)
		answers_end("the recorded run could not write all of something else");
	return recorded->call.result;
}

static void use(struct answer_kept *answer, uint32_t slot)
{
	first[slot] = answer->next; /* the slot stays taken: others may be behind it */
	if (answer->asked.flags & ASKED_INTERNAL) {
		internal_next++;
		wake_waiting();
	}
}

static void check_told(const struct log_asked *asked, const struct answer_kept *answer)
{
	if ((answer->asked.flags & ASKED_TAKES && answer->asked.told != asked->told) ||
	    (asked->flags & ASKED_FILE && is_file_changed)) {
		report_note(HEDDLE_NOTE_TOLD, NULL);
		answers_end("the program wrote something else before");
	}
	/* Later or earlier than in the recorded run, which is no difference that anybody has seen. */
	if (answer->asked.flags & ASKED_LOOKS && answer->asked.changes != asked->changes)
		answers_end("the program had done something else to the file before");
}

/* Calls that succeed whatever the outside does. */
static bool is_settled(long number)
{
	return number == SYS_close || number == SYS_setsockopt || number == SYS_fsync || number == SYS_fdatasync;
}

/* One attempt. */
static enum answer answer_now(long number, const uint64_t a[6], const struct log_asked *asked)
{
	const uint32_t slot = slot_of(asked->wants);
	struct answer_kept *answer = first[slot] ? &kept[first[slot]] : NULL;
	const bool may_wait =
		call_flags_of(number, a) & (CALL_BLOCKS_READ | CALL_POLL | CALL_BLOCKS_OTHER) && !opens_file(number);
	const bool is_internal = asked->flags & ASKED_INTERNAL;
	if (asked->flags & ASKED_NOT)
		answers_end(call_name(number));
	if (asked->flags & ASKED_WRITES && !is_internal) {
		const long result = taken(asked, answer);
		is_file_changed |=
			asked->flags & ASKED_FILE && (!answer || answer->asked.arguments != asked->arguments);
		last_ordinal = answer ? answer->call.ordinal : 0;
		if (answer)
			use(answer, slot);
		log_answer_made(number, result, last_ordinal);
		return ANSWER_GIVEN;
	}
	if (!answer) {
		if (may_wait)
			return ANSWER_LATER;
		if (!is_settled(number))
			answers_end(call_name(number));
		last_ordinal = 0;
		log_answer_made(number, 0, 0);
		return ANSWER_GIVEN;
	}
	if (is_internal && internal[internal_next] != first[slot])
		return ANSWER_LATER;
	/* The number that it got in the recorded run is taken here: whoever has it closes it first. */
	if (call_flags_of(number, a) & CALL_OPENS && answer->call.result >= 0 && number != SYS_dup2 &&
	    number != SYS_dup3 && object_of(answer->call.result) && object_of(answer->call.result)->is_open)
		return ANSWER_LATER;
	if (answer->asked.arguments != asked->arguments || answer->call.number != (uint64_t)number)
		answers_end(call_name(number));
	if (asked->flags & ASKED_TAKES && answer->call.result > 0 && number != SYS_lseek && number != SYS_accept &&
	    number != SYS_accept4 && (uint64_t)answer->call.result > asked->size_bytes)
		answers_end(call_name(number));
	check_told(asked, answer);
	last_ordinal = answer->call.ordinal;
	log_answer(&answer->call);
	use(answer, slot);
	return ANSWER_GIVEN;
}

enum answer answers_ask(long number, const uint64_t a[6])
{
	struct log_asked asked;
	for (;;) {
		ask(&asked, number, a);
		if (answer_now(number, a, &asked) == ANSWER_GIVEN)
			return ANSWER_GIVEN;
		if (wait_for_others() == ANSWER_INTERRUPTED)
			return ANSWER_INTERRUPTED;
	}
}
