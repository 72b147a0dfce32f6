/* skippable.c: see skippable.h. */
#include "campaign/skippable.h"

#include <stddef.h>
#include <string.h>

#define YES(name)                                                                                                      \
	{                                                                                                              \
#name, #name, NULL                                                                                     \
	}
#define NO(name, why)                                                                                                  \
	{                                                                                                              \
#name, #name, why                                                                                      \
	}
#define CREATES "the thread would be missing"
#define ONCE "its function would not run"
#define GUARD "the variable would not be initialised"
#define INSIDE "it synchronises inside the C++ library"

static const struct skippable functions[] = {
	YES(pthread_mutex_lock),
	YES(pthread_mutex_trylock),
	YES(pthread_mutex_timedlock),
	YES(pthread_mutex_clocklock),
	YES(pthread_mutex_unlock),
	YES(pthread_rwlock_rdlock),
	YES(pthread_rwlock_tryrdlock),
	YES(pthread_rwlock_timedrdlock),
	YES(pthread_rwlock_clockrdlock),
	YES(pthread_rwlock_wrlock),
	YES(pthread_rwlock_trywrlock),
	YES(pthread_rwlock_timedwrlock),
	YES(pthread_rwlock_clockwrlock),
	YES(pthread_rwlock_unlock),
	YES(pthread_spin_lock),
	YES(pthread_spin_trylock),
	YES(pthread_spin_unlock),
	YES(pthread_cond_wait),
	YES(pthread_cond_timedwait),
	YES(pthread_cond_clockwait),
	YES(pthread_cond_signal),
	YES(pthread_cond_broadcast),
	YES(pthread_barrier_wait),
	YES(sem_wait),
	YES(sem_trywait),
	YES(sem_timedwait),
	YES(sem_clockwait),
	YES(sem_post),
	YES(pthread_join),
	YES(pthread_tryjoin_np),
	YES(pthread_timedjoin_np),
	YES(pthread_clockjoin_np),
	YES(mtx_lock),
	YES(mtx_trylock),
	YES(mtx_timedlock),
	YES(mtx_unlock),
	YES(cnd_wait),
	YES(cnd_timedwait),
	YES(cnd_signal),
	YES(cnd_broadcast),
	YES(thrd_join),
	/* These jump to the function of the threads library, which so returns to the program's own code. */
	{ "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", "std::condition_variable::wait", NULL },
	{ "_ZNSt18condition_variable10notify_oneEv", "std::condition_variable::notify_one", NULL },
	{ "_ZNSt18condition_variable10notify_allEv", "std::condition_variable::notify_all", NULL },
	{ "_ZNSt6thread4joinEv", "std::thread::join", INSIDE },
	{ "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE", "std::thread",
	  CREATES },
	NO(pthread_create, CREATES),
	NO(thrd_create, CREATES),
	NO(pthread_once, ONCE),
	NO(call_once, ONCE),
	NO(pthread_cancel, "it ends a thread"),
	NO(__cxa_guard_acquire, GUARD),
	NO(__cxa_guard_release, GUARD),
	NO(flockfile, "libc locks the file by itself, too"),
	NO(ftrylockfile, "libc locks the file by itself, too"),
	NO(funlockfile, "libc locks the file by itself, too"),
};

const struct skippable *skippable_find(const char *linkage)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (strcmp(functions[i].linkage, linkage) == 0)
			return &functions[i];
	return NULL;
}
