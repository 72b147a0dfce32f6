/* memory.c: functions of libc that make, move and search memory and strings. See models_priv.h for how to read a row. */
#include <stddef.h>

#include "analysis/models/models_priv.h"

const struct model_names models_memory[] = {
	/* Blocks. */
	{ "malloc valloc pvalloc", ALLOCATES(0) },
	{ "memalign aligned_alloc", ALLOCATES(1) },
	{ "calloc", { .steps = { NEW_ARRAY(R, 1, 0) }, .is_allocator = true, NO_ARGUMENTS } },
	{ "realloc", { .steps = { NEW(R, 1), MOVE(R, 0) }, .is_allocator = true, FREES(0) } },
	{ "reallocarray", { .steps = { NEW_ARRAY(R, 2, 1), MOVE(R, 0) }, .is_allocator = true, FREES(0) } },
	{ "posix_memalign", FLOW(NEW_INTO(0)) },
	{ "free cfree", { FREES(0) } },
	{ "free_sized free_aligned_sized", { FREES(0) } },
	{ "mmap mmap64", ALLOCATES(1) },
	{ "munmap", { FREES(0) } },
	{ "mremap", { .steps = { NEW(R, 2), MOVE(R, 0) }, .is_allocator = true, FREES(0) } },
	{ "shmat", ALLOCATES(NO) },
	{ "shmdt", { FREES(0) } },
	{ "sbrk", FLOW(STATIC(R)) },
	{ "strdup strndup __strdup __strndup wcsdup", ALLOCATES(NO) },
	{ "asprintf vasprintf __asprintf_chk __vasprintf_chk", FLOW(NEW_INTO(0)) },
	{ "getline getdelim __getdelim", FLOW(NEW_INTO(0)) },
	{ "open_memstream", FLOW(STATIC(R), NEW_INTO(0)) },
	{ "malloc_usable_size malloc_trim mallopt mallinfo mallinfo2 malloc_stats malloc_info", PLAIN },
	{ "brk madvise posix_madvise mprotect msync mlock mlock2 munlock mlockall munlockall mincore", PLAIN },
	{ "shmget shmctl shm_open shm_unlink memfd_create", PLAIN },

	/* Contents are copied; lowering knows the first ones. */
	{ "memcpy memmove __memcpy_chk __memmove_chk", FLOW(MOVE(0, 1), COPY(R, 0)) },
	{ "mempcpy __mempcpy __mempcpy_chk", FLOW(MOVE(0, 1), INSIDE(R, 0)) },
	{ "bcopy", FLOW(MOVE(1, 0)) },
	{ "memccpy", FLOW(MOVE(0, 1), INSIDE(R, 0)) },
	{ "memset __memset_chk memset_explicit explicit_memset", FLOW(COPY(R, 0)) },
	{ "bzero explicit_bzero __explicit_bzero_chk swab memfrob strfry", PLAIN },
	{ "qsort", FLOW(CALL_INSIDE(3, 0, 0), CALL_INSIDE(3, 0, 1), MIX(0, 0)) },
	{ "qsort_r", FLOW(CALL_INSIDE(3, 0, 0), CALL_INSIDE(3, 0, 1), CALL(3, 4, 2), MIX(0, 0)) },
	{ "bsearch", FLOW(CALL(4, 0, 0), CALL_INSIDE(4, 1, 1), INSIDE(R, 1)) },
	{ "lfind", FLOW(CALL(4, 0, 0), CALL_INSIDE(4, 1, 1), INSIDE(R, 1)) },
	{ "lsearch", FLOW(CALL(4, 0, 0), CALL_INSIDE(4, 1, 1), INSIDE(R, 1), MIX(1, 0)) },

	/* search.h: a node of a tree begins with the key, and where the root is there is any of the nodes. */
	{ "tsearch", FLOW(NEW(R, NO), STORE(R, 0), STORE(1, R), LOAD(R, 1), CALL(2, 0, 0), CALL_CONTENTS(2, R, 1)) },
	{ "tfind tdelete", FLOW(LOAD(R, 1), CALL(2, 0, 0), CALL_CONTENTS(2, R, 1)) },
	{ "twalk", FLOW(CALL(1, 0, 0)) },
	{ "twalk_r", FLOW(CALL(1, 0, 0), CALL(1, 2, 2)) },
	{ "tdestroy", FLOW(CALL_CONTENTS(1, 0, 0)) },
	/* An entry, passed by value, is a key and its data. */
	{ "hsearch", FLOW(STATIC(R), STORE(R, 0), STORE_AT(R, 1, 1)) },
	{ "hcreate hdestroy hcreate_r hdestroy_r", PLAIN },
	{ "insque remque", FLOW(LINK(3, 0, 1, NO)) },

	/* Strings: characters are no pointers. */
	{ "strcpy strncpy strcat strncat __strcpy_chk __strncpy_chk __strcat_chk __strncat_chk", FLOW(COPY(R, 0)) },
	{ "wcscpy wcsncpy wcscat wcsncat wmemcpy wmemmove wmemset", FLOW(COPY(R, 0)) },
	{ "stpcpy stpncpy __stpcpy __stpncpy __stpcpy_chk __stpncpy_chk wmempcpy", FLOW(INSIDE(R, 0)) },
	{ "strlcpy strlcat __strlcpy_chk __strlcat_chk", PLAIN },
	{ "memchr memrchr rawmemchr __rawmemchr memmem strchr strrchr strchrnul __strchrnul strstr strcasestr strpbrk "
	  "index rindex wcschr wcsrchr wcsstr wmemchr",
	  FLOW(INSIDE(R, 0)) },
	{ "basename __xpg_basename dirname", FLOW(INSIDE(R, 0), STATIC(R)) },
	{ "strtok", FLOW(INSIDE(R, 0), PUT(MODEL_PLACE_TOKEN, 0), GET(R, MODEL_PLACE_TOKEN)) },
	{ "strtok_r __strtok_r", FLOW(INSIDE(R, 0), LOAD(R, 2), STORE_INSIDE(2, R)) },
	{ "strsep __strsep", FLOW(LOAD(R, 0), STORE_INSIDE(0, R)) },
	{ "strtol strtoul strtoll strtoull strtoimax strtoumax strtod strtof strtold strtoq strtouq __strtol_internal "
	  "__isoc23_strtol __isoc23_strtoul __isoc23_strtoll __isoc23_strtoull __isoc23_strtoimax "
	  "__isoc23_strtoumax wcstol wcstoul wcstod strtol_l strtoul_l strtoll_l strtoull_l strtod_l strtof_l "
	  "strtold_l __strtod_l",
	  FLOW(STORE_INSIDE(1, 0)) },
	{ "strlen strnlen strcmp strncmp strcasecmp strncasecmp strcoll strxfrm strspn strcspn memcmp bcmp __memcmpeq "
	  "strverscmp strcoll_l strxfrm_l wcslen wcscmp wcsncmp wcsnlen wmemcmp wcscoll wcsxfrm wcsspn wcscspn "
	  "wcscasecmp wcsncasecmp strcasecmp_l strncasecmp_l ffs ffsl ffsll timingsafe_bcmp consttime_memequal",
	  PLAIN },
	{ "mbstowcs wcstombs mbtowc wctomb mblen mbrtowc wcrtomb mbrlen mbsinit btowc wctob c16rtomb c32rtomb "
	  "mbrtoc16 mbrtoc32 __mbstowcs_chk __wcstombs_chk __wctomb_chk __ctype_get_mb_cur_max",
	  PLAIN },
	{ "mbsrtowcs wcsrtombs mbsnrtowcs wcsnrtombs", FLOW(ADVANCE(1)) },

	/* Strings of the library's own. */
	{ "strerror strerror_l strsignal gai_strerror hstrerror dlerror sigabbrev_np sigdescr_np strerrorname_np "
	  "strerrordesc_np",
	  FLOW(STATIC_THREAD(R)) },
	{ "strerror_r", FLOW(COPY(R, 1), STATIC_THREAD(R)) },
	{ "__xpg_strerror_r", PLAIN },
	{ "getenv secure_getenv __secure_getenv", FLOW(STATIC(R), GET(R, MODEL_PLACE_ENVIRONMENT)) },
	{ "putenv", FLOW(PUT(MODEL_PLACE_ENVIRONMENT, 0)) },
	{ "setenv unsetenv clearenv", PLAIN },
	{ "getcwd", FLOW(COPY(R, 0), NEW(R, NO)) },
	{ "get_current_dir_name tempnam", ALLOCATES(NO) },
	{ "realpath __realpath_chk", FLOW(COPY(R, 1), NEW(R, NO)) },
	{ "canonicalize_file_name", ALLOCATES(NO) },
	{ "mkdtemp", FLOW(COPY(R, 0)) },
	{ "tmpnam ctermid cuserid", FLOW(COPY(R, 0), STATIC(R)) },
	{ "__errno_location __h_errno_location __errno", FLOW(STATIC_THREAD(R)) },
	{ "__ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc", FLOW(STATIC_THREAD(R)) },
	{ NULL, PLAIN },
};
