/*
 * models.h: what functions do that are not part of the analysed program: libc, the threads library, libstdc++ and libgcc,
 * OpenMP. One readable table, in parts (the other files of this folder); models_priv.h says how to read a row. A function that is in the table does
 * what its row says and nothing else that matters here. One that is not is assumed to do anything (points.h). A function that the
 * program defines is never asked for here, whatever its name is: its code says what it does. A new model is a row in
 * the part for its library; tests/unit/models.t checks all rows, and a program in tests/analysis shows what it is for.
 *
 * The bytes that a call certainly reads or writes are not modelled here: src/ir/access.c lists the functions whose calls are accesses, such as
 * memcpy and strlen, and both the weave and the static analysis take those accesses from there.
 */
#ifndef ANALYSIS_MODELS_MODELS_H
#define ANALYSIS_MODELS_MODELS_H

#include <stdbool.h>
#include <stdint.h>

/* What happens to pointers. Arguments are numbered from 0; MODEL_RETURN is what the call returns. */
enum model_flow {
	MODEL_END,          /* no more of them */
	MODEL_COPY,         /* to = from: e.g. strcpy returns its first argument */
	MODEL_COPY_INSIDE,  /* to = from, but anywhere in the object: strchr */
	MODEL_LOAD,         /* to = *from */
	MODEL_STORE,        /* *to = from; place: stored at place * 8 bytes after it */
	MODEL_STORE_INSIDE, /* *to = any address in what `from` points to: strtol */
	MODEL_SCATTER,      /* `from`, and any address in it, is stored anywhere in *to: getpwnam_r */
	MODEL_ADVANCE,      /* *to = any address in what *to points to: iconv */
	MODEL_MOVE,         /* the contents of *from go to *to: memcpy, realloc */
	MODEL_MIX,          /* contents of *from, wherever they are, go anywhere in *to: qsort */
	MODEL_ALLOCATE, /* to = a new block; from: the argument that has the size, or -1 (count times size: see size2) */
	MODEL_ALLOCATE_INTO, /* *to = a new block: posix_memalign, getline, asprintf */
	MODEL_ALLOCATE_LINKED, /* the same, and there are pointers in it that lead to it: getaddrinfo; place: as of STORE */
	MODEL_STATIC,          /* to = an object of the library's own, one for each such function: localtime, getenv */
	MODEL_STATIC_THREAD, /* the same, one in each thread: __errno_location */
	MODEL_CALL,          /* calls argument `to`; its parameter number size2 gets `from` (MODEL_NOTHING: nothing) */
	MODEL_CALL_INSIDE,   /* the same with any address in what `from` points to: qsort */
	MODEL_CALL_CONTENTS, /* the same with what is in *from: tsearch */
	MODEL_LATER,         /* as MODEL_CALL, but it is MODEL_RUN of the same place that calls it */
	MODEL_RUN,           /* calls what MODEL_LATER left at the place */
	MODEL_KEEP,          /* argument `from` goes outside, and may come back from any function that is not known */
	MODEL_OUTSIDE,       /* to = anything that is outside: dlsym */
	MODEL_PUT,           /* `from` is left at the place */
	MODEL_GET,           /* to = what was left at the place */
	MODEL_PUT_INSIDE,    /* what is in *from is left at the place: epoll_ctl */
	MODEL_GET_INSIDE,    /* *to gets, anywhere, what was left at the place: epoll_wait */
	MODEL_LINK, /* to, from and size2 are nodes of one list or tree, and are linked with each other. place: bit i is set
		     * when there is a link at byte 8 * i of a node. Returns a node. */
};

/* Memory of the library's own by which functions hand things to each other; PUT and GET, LATER and RUN name one. */
enum model_place {
	MODEL_PLACE_NONE,
	MODEL_PLACE_KEY,    /* pthread_setspecific, of all keys */
	MODEL_PLACE_EVENTS, /* callbacks of event loops */
	MODEL_PLACE_ENVIRONMENT,
	MODEL_PLACE_ONCE,      /* what std::call_once is to call */
	MODEL_PLACE_EXCEPTION, /* destructors of what is thrown */
	MODEL_PLACE_TOKEN,     /* of strtok */
	MODEL_PLACE_POLL,      /* what epoll and eventfd give back */
	MODEL_PLACE_SIGNAL,    /* handlers of signals */
	MODEL_PLACE_VALUE,     /* what is sent with signals, and is in the siginfo_t of handlers */
	MODEL_PLACE_COUNT
};

/* What it does to the order of threads. `object` is the argument that is the lock, the condition, the thread. */
enum model_sync {
	MODEL_SYNC_NONE,
	MODEL_LOCK, /* exclusive, on return */
	MODEL_LOCK_SHARED,
	MODEL_TRY_LOCK, /* got it if it returns success (see result) */
	MODEL_TRY_LOCK_SHARED,
	MODEL_UNLOCK,
	MODEL_WAIT, /* a condition: gives up the lock in argument object2 and has it again on return */
	MODEL_SIGNAL,
	MODEL_CREATE,   /* starts a thread: object gets the handle, routine and argument say with what */
	MODEL_JOIN,     /* object is the handle, by value */
	MODEL_JOIN_TRY, /* the same, may fail */
	MODEL_DETACH,
	MODEL_BARRIER,
	MODEL_SEMAPHORE_POST,
	MODEL_SEMAPHORE_WAIT,
	MODEL_ONCE,
	MODEL_HANDLER,  /* installs a handler of a signal: routine is the argument with the function or the structure */
	MODEL_AT_EXIT,  /* routine runs when the program or thread ends */
	MODEL_PARALLEL, /* OpenMP: runs routine(argument) in several threads and waits for them */
	MODEL_EXIT_THREAD,
	MODEL_NO_RETURN,
	MODEL_FORK,
};

/* How a lock function says that it has the lock. */
enum model_result { MODEL_ALWAYS, MODEL_ZERO, MODEL_NOT_ZERO };

/* Where the function is that a thread, handler or the like begins with. */
enum model_routine {
	MODEL_DIRECT,    /* it is the argument */
	MODEL_IN_MEMORY, /* the argument points to it: sigaction */
	MODEL_IN_EVENT,  /* the argument points to a struct sigevent, which has it and its argument: timer_create */
	MODEL_METHOD, /* the argument points to a pointer to an object, whose third virtual function it is: std::thread */
};

struct model_step {
	uint8_t flow; /* enum model_flow */
	int8_t to, from, size2;
	uint8_t place; /* enum model_place; of MODEL_LINK: bits; of MODEL_STORE and MODEL_ALLOCATE_LINKED: words */
};

#define MODEL_RETURN (-2)
#define MODEL_NOTHING (-1)
#define MODEL_AT_KEY (-3) /* as `argument` only: what was left at MODEL_PLACE_KEY */

enum { MODEL_MAX_STEPS = 6 };

/* Memory that the function itself accesses, through argument number index. */
struct model_access {
	int8_t index;
	bool is_write;
};

struct model {
	const char *name;
	struct model_step steps[MODEL_MAX_STEPS];
	uint8_t sync;   /* enum model_sync */
	uint8_t result; /* enum model_result */
	/* Arguments, or MODEL_NOTHING. argument: of CREATE, PARALLEL and AT_EXIT what the routine gets; of JOIN the address that
	 * the thread's result is stored at. */
	int8_t object, object2, routine, argument;
	uint8_t routine_kind;    /* enum model_routine */
	uint8_t first_parameter; /* of the routine: the one that gets the argument */
	bool is_spread;      /* not only this argument, but also those after it go to parameters: __kmpc_fork_call */
	uint8_t event_bytes; /* of MODEL_IN_EVENT: its offset from the argument */
	bool is_object_in_memory;  /* *object is the handle of the thread: std::thread::join */
	bool is_object2_in_memory; /* *object2 is the address of the lock: std::unique_lock */
	bool is_allocator;         /* returns a fresh block */
	/* What is done with the lock is done once: a TRY_LOCK that does not get it says that it is done, and after the
	 * UNLOCK it is, unless it was given up. */
	bool is_once, is_given_up;
	int8_t frees; /* 1 + the argument whose block it frees; 0: none */
};

/* The row for a function of that name, or null. C++ names are mangled ones. May be called by several threads at once. */
const struct model *model_find(const char *name);

/* Whether it takes a lock, or tries to. model may be null. */
bool model_takes_lock(const struct model *model);

/* All rows, for tests: null after the last. */
const struct model *model_row(uint32_t number);

#endif
