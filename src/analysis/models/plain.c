/*
 * plain.c: functions that do nothing to pointers or to the order of threads, by header. They may read and write what they
 * are given, and keep nothing of it.
 */
#include <stddef.h>

#include "analysis/models/models_priv.h"

const struct model_names models_plain[] = {
	/* ctype.h, wctype.h */
	{ "isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit isascii "
	  "toascii tolower toupper _tolower _toupper iswalnum iswalpha iswblank iswcntrl iswdigit iswgraph iswlower "
	  "iswprint iswpunct iswspace iswupper iswxdigit iswctype towlower towupper towctrans wctype wctrans wcwidth "
	  "wcswidth isalnum_l isalpha_l isdigit_l isspace_l isupper_l islower_l toupper_l tolower_l isctype",
	  PLAIN },
	/* stdlib.h */
	{ "atoi atol atoll atof abs labs llabs div ldiv lldiv imaxabs rand srand random srandom rand_r random_r "
	  "srandom_r initstate_r setstate_r drand48 erand48 lrand48 nrand48 mrand48 jrand48 srand48 lcong48 "
	  "drand48_r lrand48_r srand48_r arc4random arc4random_buf arc4random_uniform mkstemp mkostemp mkstemps "
	  "mkostemps mkstemp64 mkostemp64 mkstemps64 mkostemps64 system getloadavg getsubopt rpmatch a64l grantpt "
	  "unlockpt getpt posix_openpt "
	  "ptsname_r getrandom getentropy",
	  PLAIN },
	{ "initstate setstate", FLOW(STATIC(R)) },
	{ "ptsname l64a ecvt fcvt gcvt setlocale nl_langinfo nl_langinfo_l localeconv", FLOW(STATIC(R)) },
	/* math.h, complex.h, fenv.h */
	{ "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2 log10 log1p "
	  "logb ilogb pow sqrt cbrt hypot ceil floor trunc round lround llround rint lrint llrint nearbyint fmod "
	  "remainder drem fabs fmax fmin fdim fma copysign nan nextafter nexttoward scalbn scalbln scalb ldexp erf "
	  "erfc "
	  "tgamma lgamma gamma j0 j1 jn y0 y1 yn significand roundeven frexp modf remquo sincos lgamma_r",
	  PLAIN },
	{ "sinf cosf tanf asinf acosf atanf atan2f sinhf coshf tanhf expf exp2f expm1f logf log2f log10f log1pf logbf "
	  "ilogbf powf sqrtf cbrtf hypotf ceilf floorf truncf roundf lroundf llroundf rintf lrintf llrintf nearbyintf "
	  "fmodf remainderf fabsf fmaxf fminf fdimf fmaf copysignf nanf nextafterf scalbnf scalblnf ldexpf erff erfcf "
	  "tgammaf lgammaf frexpf modff remquof sincosf",
	  PLAIN },
	{ "sinl cosl tanl asinl acosl atanl atan2l sinhl coshl tanhl expl exp2l expm1l logl log2l log10l log1pl logbl "
	  "powl sqrtl cbrtl hypotl ceill floorl truncl roundl lroundl llroundl rintl lrintl llrintl fmodl remainderl "
	  "fabsl fmaxl fminl fdiml fmal copysignl nanl nextafterl scalbnl ldexpl erfl frexpl modfl",
	  PLAIN },
	{ "__isnan __isnanf __isinf __isinff __finite __finitef __fpclassify __fpclassifyf __fpclassifyl __signbit "
	  "__signbitf __signbitl isnan isinf finite __isinfl __isnanl __finitel cabs carg creal cimag csqrt cexp clog "
	  "cpow "
	  "cabsf csqrtf __muldc3 __mulsc3 __divdc3 __powidf2 __powisf2 fegetround fesetround feclearexcept "
	  "feraiseexcept fetestexcept feholdexcept feupdateenv fegetenv fesetenv",
	  PLAIN },
	/* Arithmetic of the compiler's library. */
	{ "__divti3 __modti3 __udivti3 __umodti3 __multi3 __ashlti3 __lshrti3 __ashrti3 __popcountdi2 __clzdi2 "
	  "__ctzdi2 __bswapdi2 __udivmodti4 __floattidf __floatuntidf __fixdfti __fixunsdfti __addtf3 __subtf3 "
	  "__multf3 __divtf3 __extenddftf2 __trunctfdf2 __cpu_indicator_init __cpu_model",
	  PLAIN },
	/* time.h, sys/time.h */
	{ "time clock difftime mktime timegm timelocal strftime strftime_l wcsftime clock_gettime clock_getres "
	  "clock_settime clock_nanosleep nanosleep usleep sleep gettimeofday settimeofday adjtime adjtimex utime "
	  "utimes "
	  "futimes lutimes utimensat futimens tzset times getitimer setitimer alarm ualarm timer_settime timer_gettime "
	  "timer_getoverrun timer_delete timespec_get timerfd_create timerfd_settime timerfd_gettime "
	  "clock_getcpuclockid ftime dysize stime",
	  PLAIN },
	{ "localtime gmtime asctime ctime getdate __tz_convert", FLOW(STATIC(R)) },
	{ "localtime_r gmtime_r __localtime64_r", FLOW(COPY(R, 1)) },
	{ "asctime_r ctime_r", FLOW(COPY(R, 1)) },
	{ "strptime strptime_l", FLOW(INSIDE(R, 0)) },
	/* unistd.h, fcntl.h, sys/stat.h */
	{ "open open64 openat openat64 creat creat64 close closefrom close_range read write pread pwrite pread64 "
	  "pwrite64 "
	  "readv writev preadv pwritev preadv2 pwritev2 lseek lseek64 llseek dup dup2 dup3 pipe pipe2 fsync fdatasync "
	  "sync syncfs sync_file_range ftruncate ftruncate64 truncate truncate64 posix_fallocate posix_fallocate64 "
	  "fallocate fallocate64 posix_fadvise posix_fadvise64 readahead fcntl fcntl64 flock lockf lockf64 ioctl "
	  "sendfile sendfile64 splice tee vmsplice copy_file_range __read_chk __pread_chk __pread64_chk __readlink_chk "
	  "__open_2 __open64_2 __openat_2 __openat64_2",
	  PLAIN },
	{ "access faccessat euidaccess eaccess chdir fchdir chroot chown fchown lchown fchownat chmod fchmod fchmodat "
	  "link linkat symlink symlinkat unlink unlinkat rename renameat renameat2 remove rmdir mkdir mkdirat mkfifo "
	  "mkfifoat mknod mknodat readlink readlinkat stat fstat lstat fstatat stat64 fstat64 lstat64 fstatat64 "
	  "__xstat "
	  "__fxstat __lxstat __xstat64 __fxstat64 __lxstat64 __fxstatat statx statfs fstatfs statvfs fstatvfs statfs64 "
	  "fstatfs64 statvfs64 umask isatty pathconf fpathconf sysconf confstr __sysconf getpagesize getdtablesize "
	  "mount umount "
	  "umount2 pivot_root getxattr setxattr fgetxattr fsetxattr listxattr removexattr",
	  PLAIN },
	{ "getpid getppid gettid getpgrp getpgid setpgid setpgrp getsid setsid tcgetpgrp tcsetpgrp getuid geteuid "
	  "getgid "
	  "getegid setuid seteuid setgid setegid setreuid setregid setresuid setresgid getresuid getresgid getgroups "
	  "setgroups initgroups getgrouplist nice getpriority setpriority getrlimit setrlimit getrlimit64 setrlimit64 "
	  "prlimit prlimit64 getrusage wait waitpid wait3 wait4 waitid kill killpg pause gethostname sethostname "
	  "getdomainname uname sysinfo get_nprocs get_nprocs_conf getcpu sched_getcpu sched_yield sched_setaffinity "
	  "sched_getaffinity sched_setscheduler sched_getscheduler sched_getparam sched_setparam "
	  "sched_get_priority_max sched_get_priority_min __sched_cpucount __sched_cpualloc __sched_cpufree syscall "
	  "prctl arch_prctl daemon acct reboot getlogin_r ttyname_r vhangup personality unshare setns capget capset "
	  "execl execle execlp execv execve execvp execvpe fexecve posix_spawn posix_spawnp posix_spawnattr_init "
	  "posix_spawnattr_destroy posix_spawnattr_setflags posix_spawn_file_actions_init "
	  "posix_spawn_file_actions_destroy posix_spawn_file_actions_adddup2 posix_spawn_file_actions_addclose "
	  "posix_spawn_file_actions_addopen getopt getopt_long getopt_long_only getauxval gethostid",
	  PLAIN },
	{ "getlogin ttyname getpass crypt getusershell", FLOW(STATIC(R)) },
	/* sys/socket.h, netdb.h, poll.h and friends */
	{ "socket socketpair bind listen accept accept4 connect shutdown getsockname getpeername getsockopt setsockopt "
	  "send sendto sendmsg sendmmsg recv recvfrom recvmsg recvmmsg __recv_chk __recvfrom_chk sockatmark poll ppoll "
	  "__poll_chk select pselect __fdelt_chk __fdelt_warn inet_addr inet_aton inet_pton inet_network htons htonl "
	  "ntohs ntohl getnameinfo if_nametoindex res_init eventfd "
	  "signalfd inotify_init inotify_init1 inotify_add_watch inotify_rm_watch "
	  "fanotify_init fanotify_mark endhostent sethostent bindresvport",
	  PLAIN },
	{ "eventfd_write", FLOW(PUT(MODEL_PLACE_POLL, 1)) },
	{ "eventfd_read", FLOW(GET_INSIDE(1, MODEL_PLACE_POLL)) },
	{ "epoll_create epoll_create1", PLAIN },
	{ "epoll_ctl", FLOW(PUT_INSIDE(MODEL_PLACE_POLL, 3)) },
	{ "epoll_wait epoll_pwait epoll_pwait2", FLOW(GET_INSIDE(1, MODEL_PLACE_POLL)) },
	{ "inet_ntoa gethostbyname gethostbyname2 gethostbyaddr gethostent getservbyname getservbyport getservent "
	  "getprotobyname getprotobynumber getnetbyname if_indextoname",
	  FLOW(STATIC(R)) },
	{ "inet_ntop", FLOW(COPY(R, 2)) },
	{ "freeaddrinfo freeifaddrs if_freenameindex", { FREES(0) } },
	{ "getaddrinfo", FLOW(NEW_LINKED(3)) },
	{ "getifaddrs", FLOW(NEW_LINKED(0)) },
	{ "if_nameindex", ALLOCATES(NO) },
	{ "gethostbyname_r", FLOW(SCATTER(1, 2), STORE(4, 1)) },
	{ "gethostbyname2_r getservbyname_r getservbyport_r", FLOW(SCATTER(2, 3), STORE(5, 2)) },
	{ "gethostbyaddr_r", FLOW(SCATTER(3, 4), STORE(6, 3)) },
	{ "getprotobyname_r getprotobynumber_r", FLOW(SCATTER(1, 2), STORE(4, 1)) },
	/* pwd.h, grp.h, utmp.h, syslog.h */
	{ "getpwnam getpwuid getpwent getgrnam getgrgid getgrent getspnam getutent getutxent pututxline",
	  FLOW(STATIC(R)) },
	{ "getpwnam_r getpwuid_r getgrnam_r getgrgid_r", FLOW(SCATTER(1, 2), STORE(4, 1)) },
	{ "getpwent_r getgrent_r", FLOW(SCATTER(0, 1), STORE(3, 0)) },
	{ "getspnam_r", FLOW(SCATTER(1, 2), STORE(4, 1)) },
	{ "setpwent endpwent setgrent endgrent openlog closelog syslog vsyslog setlogmask __syslog_chk __vsyslog_chk "
	  "setutxent endutxent",
	  PLAIN },
	/* locale.h, iconv.h, regex.h, fnmatch.h, wordexp.h, execinfo.h, dlfcn.h */
	{ "newlocale duplocale uselocale iconv_open catopen", FLOW(STATIC(R)) },
	{ "freelocale iconv_close regcomp regexec regerror regfree fnmatch dlclose backtrace globfree globfree64 "
	  "wordfree "
	  "backtrace_symbols_fd "
	  "bind_textdomain_codeset catclose",
	  PLAIN },
	{ "iconv", FLOW(ADVANCE(1), ADVANCE(3)) },
	{ "gettext dgettext dcgettext ngettext dngettext dcngettext catgets",
	  FLOW(COPY(R, 0), COPY(R, 1), COPY(R, 2)) },
	{ "bindtextdomain textdomain", FLOW(STATIC(R)) },
	{ "backtrace_symbols", ALLOCATES(NO) },
	/* The list of names is after their number. */
	{ "glob glob64", FLOW(NEW_LINKED_AT(3, 1), CALL(2, NO, 0)) },
	{ "wordexp", FLOW(NEW_LINKED_AT(1, 1)) },
	{ "dlopen dlmopen", FLOW(STATIC(R)) },
	{ "dlsym dlvsym", FLOW(OUTSIDE(R)) },
	{ "dladdr dladdr1", FLOW(SCATTER(1, 0)) },
	{ "dl_iterate_phdr", FLOW(CALL(0, 1, 2)) },
	{ "__tls_get_addr", FLOW(STATIC_THREAD(R)) },
	/* What the compiler and its sanitizers leave behind. */
	{ "llvm.* __sanitizer_* __asan_* __tsan_* __ubsan_* __llvm_profile_* __gcov_* heddle_* __heddle_*", PLAIN },
	{ "__gmon_start__ _ITM_deregisterTMCloneTable _ITM_registerTMCloneTable __libc_current_sigrtmin "
	  "__libc_current_sigrtmax __libc_init_secure gnu_get_libc_version",
	  PLAIN },
	{ NULL, PLAIN },
};
