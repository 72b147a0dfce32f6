/* doctor_filter.c: doctor_filter kill|deny NUMBER[=FIRST ARGUMENT] PROG ARGS...: runs a program that may not make one
 * system call (with that first argument). */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	char *end;
	unsigned number = (unsigned)strtoul(argv[2], &end, 10);
	unsigned argument = *end == '=' ? (unsigned)strtoul(end + 1, NULL, 10) : 0;
	unsigned answer = strcmp(argv[1], "kill") == 0 ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM;
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, *end == '=' ? 2 : 1),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, argument, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, answer),
	};
	/* Without an argument the call itself decides: the load of it is passed over. */
	if (*end != '=')
		filter[1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 3, 2);
	struct sock_fprog program = { sizeof filter / sizeof *filter, filter };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
		perror("doctor_filter");
		return 2;
	}
	execv(argv[3], argv + 3);
	perror(argv[3]);
	return 2;
}
