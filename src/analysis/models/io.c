/* io.c: stdio.h, dirent.h, ftw.h, termios.h. Streams are objects of the library's. */
#include <stddef.h>

#include "analysis/models/models_priv.h"

const struct model_names models_io[] = {
	{ "fopen fopen64 fdopen tmpfile tmpfile64 popen fmemopen setmntent", FLOW(STATIC(R)) },
	{ "freopen freopen64", FLOW(COPY(R, 2)) },
	{ "fclose pclose fflush fflush_unlocked fileno fileno_unlocked feof feof_unlocked ferror ferror_unlocked "
	  "clearerr clearerr_unlocked fseek fseeko fseeko64 ftell ftello ftello64 rewind fgetpos fsetpos fgetpos64 "
	  "fsetpos64 setbuf setbuffer setlinebuf setvbuf fread fread_unlocked fwrite fwrite_unlocked __fread_chk "
	  "__fread_unlocked_chk fgetc fgetc_unlocked getc getc_unlocked getchar getchar_unlocked _IO_getc fputc "
	  "fputc_unlocked putc putc_unlocked putchar putchar_unlocked _IO_putc fputs fputs_unlocked puts ungetc getw "
	  "putw perror psignal fwide fgetwc getwc getwchar fputwc putwc putwchar fputws ungetwc __overflow __uflow "
	  "__fpending __fpurge __freading __fwriting __fsetlocking __fbufsize endmntent fcloseall flushlbf "
	  "_flushlbf closedir rewinddir seekdir telldir dirfd",
	  PLAIN },
	/* They hold a lock, but one of the stream's that nothing else is guarded by. */
	{ "flockfile funlockfile ftrylockfile", PLAIN },
	{ "printf fprintf dprintf sprintf snprintf vprintf vfprintf vdprintf vsprintf vsnprintf __printf_chk "
	  "__fprintf_chk __dprintf_chk __sprintf_chk __snprintf_chk __vprintf_chk __vfprintf_chk __vdprintf_chk "
	  "__vsprintf_chk __vsnprintf_chk wprintf fwprintf swprintf vwprintf vfwprintf vswprintf __fwprintf_chk "
	  "__swprintf_chk __vswprintf_chk __wprintf_chk register_printf_function warn warnx vwarn vwarnx error_at_line",
	  PLAIN },
	{ "error", PLAIN },
	{ "scanf fscanf sscanf vscanf vfscanf vsscanf __isoc99_scanf __isoc99_fscanf __isoc99_sscanf __isoc99_vscanf "
	  "__isoc99_vfscanf __isoc99_vsscanf __isoc23_scanf __isoc23_fscanf __isoc23_sscanf __isoc23_vscanf "
	  "__isoc23_vfscanf __isoc23_vsscanf wscanf fwscanf swscanf __isoc99_swscanf",
	  PLAIN },
	{ "fgets fgets_unlocked gets __fgets_chk __fgets_unlocked_chk __gets_chk fgetws fgetln", FLOW(COPY(R, 0)) },
	{ "tmpnam_r", FLOW(COPY(R, 0)) },
	/* Folders. */
	{ "opendir fdopendir readdir readdir64 getmntent", FLOW(STATIC(R)) },
	{ "readdir_r readdir64_r", FLOW(STORE(2, 1)) },
	{ "scandir scandir64",
	  FLOW(NEW_LINKED(1), CALL_CONTENTS(2, 1, 0), CALL_CONTENTS(3, 1, 0), CALL_CONTENTS(3, 1, 1)) },
	{ "scandirat scandirat64",
	  FLOW(NEW_LINKED(2), CALL_CONTENTS(3, 2, 0), CALL_CONTENTS(4, 2, 0), CALL_CONTENTS(4, 2, 1)) },
	{ "alphasort alphasort64 versionsort", PLAIN },
	{ "ftw ftw64 nftw nftw64", FLOW(CALL(1, 0, 0)) },
	{ "getmntent_r", FLOW(COPY(R, 1), SCATTER(1, 2)) },
	/* Terminals. */
	{ "tcgetattr tcsetattr tcflush tcflow tcdrain tcsendbreak cfgetispeed cfgetospeed cfsetispeed cfsetospeed "
	  "cfsetspeed "
	  "cfmakeraw openpty forkpty login_tty",
	  PLAIN },
	{ NULL, PLAIN },
};
