/* threads.c: pthreads, C11 threads, semaphores, signals, what runs at exit, OpenMP: whatever orders or starts threads. */
#include <stddef.h>

#include "analysis/models/models_priv.h"

const struct model_names models_threads[] = {
	/* Threads. */
	{ "pthread_create", STARTS(MODEL_CREATE, 0, 2, 3) },
	{ "thrd_create", STARTS(MODEL_CREATE, 0, 1, 2) },
	{ "pthread_join", { .sync = MODEL_JOIN, .object = 0, .object2 = NO, .routine = NO, .argument = 1 } },
	{ "thrd_join", { .sync = MODEL_JOIN, .object = 0, .object2 = NO, .routine = NO, .argument = NO } },
	{ "pthread_tryjoin_np pthread_timedjoin_np pthread_clockjoin_np",
	  { .sync = MODEL_JOIN_TRY, .result = MODEL_ZERO, .object = 0, .object2 = NO, .routine = NO, .argument = 1 } },
	{ "pthread_detach thrd_detach", SYNC(MODEL_DETACH, MODEL_ALWAYS, 0) },
	{ "pthread_exit", { .sync = MODEL_EXIT_THREAD, .object = NO, .object2 = NO, .routine = NO, .argument = 0 } },
	{ "thrd_exit", { .sync = MODEL_EXIT_THREAD, NO_ARGUMENTS } },
	{ "__pthread_unwind_next", { .sync = MODEL_EXIT_THREAD, NO_ARGUMENTS } },
	{ "pthread_self pthread_equal pthread_cancel pthread_setcancelstate pthread_setcanceltype pthread_testcancel "
	  "pthread_kill pthread_yield thrd_current thrd_equal thrd_sleep thrd_yield "
	  "pthread_setname_np pthread_getname_np pthread_setaffinity_np pthread_getaffinity_np pthread_getcpuclockid "
	  "pthread_setschedparam pthread_getschedparam pthread_setschedprio pthread_setconcurrency "
	  "pthread_getconcurrency pthread_getattr_np __pthread_register_cancel __pthread_unregister_cancel",
	  PLAIN },
	{ "pthread_attr_init pthread_attr_destroy pthread_attr_setdetachstate pthread_attr_getdetachstate "
	  "pthread_attr_setstacksize pthread_attr_getstacksize pthread_attr_setguardsize pthread_attr_getguardsize "
	  "pthread_attr_setscope pthread_attr_getscope pthread_attr_setschedpolicy pthread_attr_getschedpolicy "
	  "pthread_attr_setschedparam pthread_attr_getschedparam pthread_attr_setinheritsched "
	  "pthread_attr_getinheritsched pthread_attr_setaffinity_np pthread_attr_getaffinity_np pthread_attr_getstack "
	  "pthread_attr_getstackaddr pthread_attr_setstackaddr pthread_attr_setstack "
	  "pthread_attr_getsigmask_np pthread_attr_setsigmask_np pthread_getattr_default_np "
	  "pthread_setattr_default_np",
	  PLAIN },

	/* Mutexes. Those that return an error do not have the lock, but no program goes on without it. */
	{ "pthread_mutex_lock __pthread_mutex_lock mtx_lock", SYNC(MODEL_LOCK, MODEL_ALWAYS, 0) },
	{ "pthread_mutex_trylock __pthread_mutex_trylock pthread_mutex_timedlock pthread_mutex_clocklock mtx_trylock "
	  "mtx_timedlock",
	  SYNC(MODEL_TRY_LOCK, MODEL_ZERO, 0) },
	{ "pthread_mutex_unlock __pthread_mutex_unlock mtx_unlock", SYNC(MODEL_UNLOCK, MODEL_ALWAYS, 0) },
	{ "pthread_mutex_init __pthread_mutex_init pthread_mutex_destroy __pthread_mutex_destroy "
	  "pthread_mutex_consistent "
	  "pthread_mutex_getprioceiling pthread_mutex_setprioceiling pthread_mutexattr_init "
	  "pthread_mutexattr_destroy pthread_mutexattr_settype pthread_mutexattr_gettype "
	  "pthread_mutexattr_setpshared pthread_mutexattr_getpshared pthread_mutexattr_setprotocol "
	  "pthread_mutexattr_getprotocol pthread_mutexattr_setrobust pthread_mutexattr_getrobust "
	  "__pthread_mutexattr_init __pthread_mutexattr_destroy __pthread_mutexattr_settype mtx_init mtx_destroy "
	  "pthread_mutex_consistent_np pthread_mutexattr_getprioceiling pthread_mutexattr_setprioceiling "
	  "pthread_mutexattr_getrobust_np pthread_mutexattr_setrobust_np",
	  PLAIN },
	{ "pthread_spin_lock", SYNC(MODEL_LOCK, MODEL_ALWAYS, 0) },
	{ "pthread_spin_trylock", SYNC(MODEL_TRY_LOCK, MODEL_ZERO, 0) },
	{ "pthread_spin_unlock", SYNC(MODEL_UNLOCK, MODEL_ALWAYS, 0) },
	{ "pthread_spin_init pthread_spin_destroy", PLAIN },

	/* Locks for readers and writers. */
	{ "pthread_rwlock_wrlock __pthread_rwlock_wrlock", SYNC(MODEL_LOCK, MODEL_ALWAYS, 0) },
	{ "pthread_rwlock_rdlock __pthread_rwlock_rdlock", SYNC(MODEL_LOCK_SHARED, MODEL_ALWAYS, 0) },
	{ "pthread_rwlock_trywrlock __pthread_rwlock_trywrlock pthread_rwlock_timedwrlock pthread_rwlock_clockwrlock",
	  SYNC(MODEL_TRY_LOCK, MODEL_ZERO, 0) },
	{ "pthread_rwlock_tryrdlock __pthread_rwlock_tryrdlock pthread_rwlock_timedrdlock pthread_rwlock_clockrdlock",
	  SYNC(MODEL_TRY_LOCK_SHARED, MODEL_ZERO, 0) },
	{ "pthread_rwlock_unlock __pthread_rwlock_unlock", SYNC(MODEL_UNLOCK, MODEL_ALWAYS, 0) },
	{ "pthread_rwlock_init __pthread_rwlock_init pthread_rwlock_destroy __pthread_rwlock_destroy "
	  "pthread_rwlockattr_init pthread_rwlockattr_destroy pthread_rwlockattr_setkind_np "
	  "pthread_rwlockattr_getkind_np pthread_rwlockattr_setpshared pthread_rwlockattr_getpshared",
	  PLAIN },

	/* Conditions. */
	{ "pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait cnd_wait cnd_timedwait",
	  { .sync = MODEL_WAIT, .object = 0, .object2 = 1, .routine = NO, .argument = NO } },
	{ "pthread_cond_signal pthread_cond_broadcast cnd_signal cnd_broadcast", SYNC(MODEL_SIGNAL, MODEL_ALWAYS, 0) },
	{ "pthread_cond_init pthread_cond_destroy pthread_condattr_init pthread_condattr_destroy "
	  "pthread_condattr_setclock pthread_condattr_getclock pthread_condattr_setpshared "
	  "pthread_condattr_getpshared cnd_init cnd_destroy",
	  PLAIN },

	/* Semaphores and barriers. */
	{ "sem_post", SYNC(MODEL_SEMAPHORE_POST, MODEL_ALWAYS, 0) },
	{ "sem_wait sem_timedwait sem_clockwait sem_trywait", SYNC(MODEL_SEMAPHORE_WAIT, MODEL_ZERO, 0) },
	{ "sem_init sem_destroy sem_getvalue sem_close sem_unlink semget semop semtimedop semctl", PLAIN },
	{ "sem_open", FLOW(STATIC(R)) },
	{ "pthread_barrier_wait", SYNC(MODEL_BARRIER, MODEL_ALWAYS, 0) },
	{ "pthread_barrier_init pthread_barrier_destroy pthread_barrierattr_init pthread_barrierattr_destroy "
	  "pthread_barrierattr_setpshared pthread_barrierattr_getpshared",
	  PLAIN },

	/* Once, keys. */
	{ "pthread_once __pthread_once call_once", STARTS(MODEL_ONCE, 0, 1, NO) },
	{ "__once_proxy", FLOW(RUN(MODEL_PLACE_ONCE)) },
	{ "pthread_key_create __pthread_key_create tss_create", STARTS(MODEL_AT_EXIT, NO, 1, MODEL_AT_KEY) },
	{ "pthread_key_delete tss_delete", PLAIN },
	{ "pthread_setspecific __pthread_setspecific tss_set", FLOW(PUT(MODEL_PLACE_KEY, 1)) },
	{ "pthread_getspecific __pthread_getspecific tss_get", FLOW(GET(R, MODEL_PLACE_KEY)) },

	/* Signals. */
	{ "signal bsd_signal sysv_signal __sysv_signal ssignal sigset",
	  { .steps = { PUT(MODEL_PLACE_SIGNAL, 1), GET(R, MODEL_PLACE_SIGNAL) },
	    .sync = MODEL_HANDLER,
	    .object = NO,
	    .object2 = NO,
	    .routine = 1,
	    .argument = NO } },
	{ "sigaction __sigaction",
	  { .steps = { PUT_INSIDE(MODEL_PLACE_SIGNAL, 1), GET_INSIDE(2, MODEL_PLACE_SIGNAL) },
	    .sync = MODEL_HANDLER,
	    .object = NO,
	    .object2 = NO,
	    .routine = 1,
	    .argument = NO,
	    .first_parameter = 1,
	    .routine_kind = MODEL_IN_MEMORY } },
	{ "sigqueue pthread_sigqueue", FLOW(PUT(MODEL_PLACE_VALUE, 2)) },
	{ "sigwaitinfo sigtimedwait", FLOW(GET_INSIDE(1, MODEL_PLACE_VALUE)) },
	/* These notify through a thread, a new one each time. */
	{ "timer_create mq_notify",
	  { .steps = { { MODEL_KEEP, NO, 1, NO, 0 } },
	    .sync = MODEL_CREATE,
	    .object = NO,
	    .object2 = NO,
	    .routine = 1,
	    .argument = NO,
	    .routine_kind = MODEL_IN_EVENT } },
	{ "aio_read aio_write aio_read64 aio_write64",
	  { .sync = MODEL_CREATE,
	    .object = NO,
	    .object2 = NO,
	    .routine = 0,
	    .argument = NO,
	    .routine_kind = MODEL_IN_EVENT,
	    .event_bytes = 32 } },
	{ "aio_fsync aio_fsync64",
	  { .sync = MODEL_CREATE,
	    .object = NO,
	    .object2 = NO,
	    .routine = 1,
	    .argument = NO,
	    .routine_kind = MODEL_IN_EVENT,
	    .event_bytes = 32 } },
	{ "aio_error aio_error64 aio_return aio_return64 aio_suspend aio_suspend64 aio_cancel aio_cancel64 gai_error "
	  "gai_suspend gai_cancel",
	  PLAIN },
	{ "lio_listio lio_listio64 getaddrinfo_a",
	  { .steps = { { MODEL_KEEP, NO, 1, NO, 0 } },
	    .sync = MODEL_CREATE,
	    .object = NO,
	    .object2 = NO,
	    .routine = 3,
	    .argument = NO,
	    .routine_kind = MODEL_IN_EVENT } },
	{ "sigemptyset sigfillset sigaddset sigdelset sigismember sigprocmask pthread_sigmask sigpending sigsuspend "
	  "sigwait sigaltstack raise siginterrupt sigblock sigsetmask siggetmask "
	  "sigpause sighold sigrelse sigignore setjmp _setjmp sigsetjmp __sigsetjmp sigreturn",
	  PLAIN },

	/* The end. */
	{ "exit _exit _Exit quick_exit abort __assert_fail __assert_perror_fail __assert __stack_chk_fail "
	  "__fortify_fail "
	  "__chk_fail longjmp _longjmp siglongjmp __longjmp_chk err errx verr verrx "
	  "__ubsan_handle_builtin_unreachable",
	  ENDS },
	{ "atexit at_quick_exit", STARTS(MODEL_AT_EXIT, NO, 0, NO) },
	{ "on_exit",
	  { .sync = MODEL_AT_EXIT, .object = NO, .object2 = NO, .routine = 0, .argument = 1, .first_parameter = 1 } },
	{ "__cxa_atexit __cxa_thread_atexit __cxa_thread_atexit_impl __cxa_at_quick_exit",
	  STARTS(MODEL_AT_EXIT, NO, 0, 1) },
	{ "pthread_atfork __register_atfork", FLOW(CALL(0, NO, 0), CALL(1, NO, 0), CALL(2, NO, 0)) },
	{ "fork vfork _Fork __fork __vfork", { .sync = MODEL_FORK, NO_ARGUMENTS } },

	/* OpenMP: what gcc and what clang call. */
	{ "GOMP_parallel GOMP_parallel_start GOMP_parallel_loop_static GOMP_parallel_loop_dynamic "
	  "GOMP_parallel_loop_guided GOMP_parallel_loop_runtime GOMP_parallel_loop_nonmonotonic_dynamic "
	  "GOMP_parallel_loop_nonmonotonic_guided GOMP_parallel_sections",
	  STARTS(MODEL_PARALLEL, NO, 0, 1) },
	{ "GOMP_task", STARTS(MODEL_CREATE, NO, 0, 1) },
	{ "GOMP_barrier GOMP_barrier_cancel", SYNC(MODEL_BARRIER, MODEL_ALWAYS, NO) },
	{ "GOMP_critical_name_start", SYNC(MODEL_LOCK, MODEL_ALWAYS, 0) },
	{ "GOMP_critical_name_end", SYNC(MODEL_UNLOCK, MODEL_ALWAYS, 0) },
	{ "GOMP_critical_start GOMP_atomic_start", SYNC(MODEL_LOCK, MODEL_ALWAYS, NO) },
	{ "GOMP_critical_end GOMP_atomic_end", SYNC(MODEL_UNLOCK, MODEL_ALWAYS, NO) },
	{ "GOMP_*", PLAIN },
	{ "__kmpc_fork_call __kmpc_fork_teams",
	  { .sync = MODEL_PARALLEL,
	    .object = NO,
	    .object2 = NO,
	    .routine = 2,
	    .argument = 3,
	    .first_parameter = 2,
	    .is_spread = true } },
	{ "__kmpc_fork_call_if",
	  { .sync = MODEL_PARALLEL,
	    .object = NO,
	    .object2 = NO,
	    .routine = 2,
	    .argument = 4,
	    .first_parameter = 2,
	    .is_spread = true } },
	{ "__kmpc_omp_task_alloc",
	  { .steps = { NEW_LINKED(NO), NEW(R, 3) },
	    .sync = MODEL_CREATE,
	    .object = NO,
	    .object2 = NO,
	    .routine = 5,
	    .argument = MODEL_RETURN,
	    .first_parameter = 1 } },
	{ "__kmpc_critical __kmpc_critical_with_hint", SYNC(MODEL_LOCK, MODEL_ALWAYS, 2) },
	{ "__kmpc_end_critical", SYNC(MODEL_UNLOCK, MODEL_ALWAYS, 2) },
	{ "__kmpc_barrier __kmpc_cancel_barrier", SYNC(MODEL_BARRIER, MODEL_ALWAYS, NO) },
	{ "__kmpc_reduce __kmpc_reduce_nowait", FLOW(CALL(5, 4, 0), CALL(5, 4, 1)) },
	{ "__kmpc_copyprivate", FLOW(CALL(4, 3, 0), CALL(4, 3, 1)) },
	{ "__kmpc_threadprivate_cached", FLOW(STATIC_THREAD(R), MOVE(R, 2)) },
	{ "__kmpc_*", PLAIN },
	{ "omp_set_lock omp_set_nest_lock", SYNC(MODEL_LOCK, MODEL_ALWAYS, 0) },
	{ "omp_unset_lock omp_unset_nest_lock", SYNC(MODEL_UNLOCK, MODEL_ALWAYS, 0) },
	{ "omp_test_lock omp_test_nest_lock", SYNC(MODEL_TRY_LOCK, MODEL_NOT_ZERO, 0) },
	{ "omp_*", PLAIN },
	{ NULL, PLAIN },
};
