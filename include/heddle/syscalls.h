/*
 * syscalls.h: numbers and names of the system calls of x86-64, from the kernel's syscall_64.tbl. They never change; a new kernel adds some at
 * the end. What the world does with each is in src/world/kernel/calls.c.
 */
#ifndef HEDDLE_SYSCALLS_H
#define HEDDLE_SYSCALLS_H

/* clang-format off */
#define HEDDLE_SYSCALLS(EACH) \
	EACH(0, read) EACH(1, write) EACH(2, open) EACH(3, close) EACH(4, stat) EACH(5, fstat) EACH(6, lstat) \
	EACH(7, poll) EACH(8, lseek) EACH(9, mmap) EACH(10, mprotect) EACH(11, munmap) EACH(12, brk) \
	EACH(13, rt_sigaction) EACH(14, rt_sigprocmask) EACH(15, rt_sigreturn) EACH(16, ioctl) EACH(17, pread64) \
	EACH(18, pwrite64) EACH(19, readv) EACH(20, writev) EACH(21, access) EACH(22, pipe) EACH(23, select) \
	EACH(24, sched_yield) EACH(25, mremap) EACH(26, msync) EACH(27, mincore) EACH(28, madvise) EACH(29, shmget) \
	EACH(30, shmat) EACH(31, shmctl) EACH(32, dup) EACH(33, dup2) EACH(34, pause) EACH(35, nanosleep) \
	EACH(36, getitimer) EACH(37, alarm) EACH(38, setitimer) EACH(39, getpid) EACH(40, sendfile) EACH(41, socket) \
	EACH(42, connect) EACH(43, accept) EACH(44, sendto) EACH(45, recvfrom) EACH(46, sendmsg) EACH(47, recvmsg) \
	EACH(48, shutdown) EACH(49, bind) EACH(50, listen) EACH(51, getsockname) EACH(52, getpeername) \
	EACH(53, socketpair) EACH(54, setsockopt) EACH(55, getsockopt) EACH(56, clone) EACH(57, fork) EACH(58, vfork) \
	EACH(59, execve) EACH(60, exit) EACH(61, wait4) EACH(62, kill) EACH(63, uname) EACH(64, semget) \
	EACH(65, semop) EACH(66, semctl) EACH(67, shmdt) EACH(68, msgget) EACH(69, msgsnd) EACH(70, msgrcv) \
	EACH(71, msgctl) EACH(72, fcntl) EACH(73, flock) EACH(74, fsync) EACH(75, fdatasync) EACH(76, truncate) \
	EACH(77, ftruncate) EACH(78, getdents) EACH(79, getcwd) EACH(80, chdir) EACH(81, fchdir) EACH(82, rename) \
	EACH(83, mkdir) EACH(84, rmdir) EACH(85, creat) EACH(86, link) EACH(87, unlink) EACH(88, symlink) \
	EACH(89, readlink) EACH(90, chmod) EACH(91, fchmod) EACH(92, chown) EACH(93, fchown) EACH(94, lchown) \
	EACH(95, umask) EACH(96, gettimeofday) EACH(97, getrlimit) EACH(98, getrusage) EACH(99, sysinfo) \
	EACH(100, times) EACH(101, ptrace) EACH(102, getuid) EACH(103, syslog) EACH(104, getgid) EACH(105, setuid) \
	EACH(106, setgid) EACH(107, geteuid) EACH(108, getegid) EACH(109, setpgid) EACH(110, getppid) \
	EACH(111, getpgrp) EACH(112, setsid) EACH(113, setreuid) EACH(114, setregid) EACH(115, getgroups) \
	EACH(116, setgroups) EACH(117, setresuid) EACH(118, getresuid) EACH(119, setresgid) EACH(120, getresgid) \
	EACH(121, getpgid) EACH(122, setfsuid) EACH(123, setfsgid) EACH(124, getsid) EACH(125, capget) \
	EACH(126, capset) EACH(127, rt_sigpending) EACH(128, rt_sigtimedwait) EACH(129, rt_sigqueueinfo) \
	EACH(130, rt_sigsuspend) EACH(131, sigaltstack) EACH(132, utime) EACH(133, mknod) EACH(134, uselib) \
	EACH(135, personality) EACH(136, ustat) EACH(137, statfs) EACH(138, fstatfs) EACH(139, sysfs) \
	EACH(140, getpriority) EACH(141, setpriority) EACH(142, sched_setparam) EACH(143, sched_getparam) \
	EACH(144, sched_setscheduler) EACH(145, sched_getscheduler) EACH(146, sched_get_priority_max) \
	EACH(147, sched_get_priority_min) EACH(148, sched_rr_get_interval) EACH(149, mlock) EACH(150, munlock) \
	EACH(151, mlockall) EACH(152, munlockall) EACH(153, vhangup) EACH(154, modify_ldt) EACH(155, pivot_root) \
	EACH(156, _sysctl) EACH(157, prctl) EACH(158, arch_prctl) EACH(159, adjtimex) EACH(160, setrlimit) \
	EACH(161, chroot) EACH(162, sync) EACH(163, acct) EACH(164, settimeofday) EACH(165, mount) EACH(166, umount2) \
	EACH(167, swapon) EACH(168, swapoff) EACH(169, reboot) EACH(170, sethostname) EACH(171, setdomainname) \
	EACH(172, iopl) EACH(173, ioperm) EACH(174, create_module) EACH(175, init_module) EACH(176, delete_module) \
	EACH(177, get_kernel_syms) EACH(178, query_module) EACH(179, quotactl) EACH(180, nfsservctl) \
	EACH(181, getpmsg) EACH(182, putpmsg) EACH(183, afs_syscall) EACH(184, tuxcall) EACH(185, security) \
	EACH(186, gettid) EACH(187, readahead) EACH(188, setxattr) EACH(189, lsetxattr) EACH(190, fsetxattr) \
	EACH(191, getxattr) EACH(192, lgetxattr) EACH(193, fgetxattr) EACH(194, listxattr) EACH(195, llistxattr) \
	EACH(196, flistxattr) EACH(197, removexattr) EACH(198, lremovexattr) EACH(199, fremovexattr) EACH(200, tkill) \
	EACH(201, time) EACH(202, futex) EACH(203, sched_setaffinity) EACH(204, sched_getaffinity) \
	EACH(205, set_thread_area) EACH(206, io_setup) EACH(207, io_destroy) EACH(208, io_getevents) \
	EACH(209, io_submit) EACH(210, io_cancel) EACH(211, get_thread_area) EACH(212, lookup_dcookie) \
	EACH(213, epoll_create) EACH(214, epoll_ctl_old) EACH(215, epoll_wait_old) EACH(216, remap_file_pages) \
	EACH(217, getdents64) EACH(218, set_tid_address) EACH(219, restart_syscall) EACH(220, semtimedop) \
	EACH(221, fadvise64) EACH(222, timer_create) EACH(223, timer_settime) EACH(224, timer_gettime) \
	EACH(225, timer_getoverrun) EACH(226, timer_delete) EACH(227, clock_settime) EACH(228, clock_gettime) \
	EACH(229, clock_getres) EACH(230, clock_nanosleep) EACH(231, exit_group) EACH(232, epoll_wait) \
	EACH(233, epoll_ctl) EACH(234, tgkill) EACH(235, utimes) EACH(236, vserver) EACH(237, mbind) \
	EACH(238, set_mempolicy) EACH(239, get_mempolicy) EACH(240, mq_open) EACH(241, mq_unlink) \
	EACH(242, mq_timedsend) EACH(243, mq_timedreceive) EACH(244, mq_notify) EACH(245, mq_getsetattr) \
	EACH(246, kexec_load) EACH(247, waitid) EACH(248, add_key) EACH(249, request_key) EACH(250, keyctl) \
	EACH(251, ioprio_set) EACH(252, ioprio_get) EACH(253, inotify_init) EACH(254, inotify_add_watch) \
	EACH(255, inotify_rm_watch) EACH(256, migrate_pages) EACH(257, openat) EACH(258, mkdirat) EACH(259, mknodat) \
	EACH(260, fchownat) EACH(261, futimesat) EACH(262, newfstatat) EACH(263, unlinkat) EACH(264, renameat) \
	EACH(265, linkat) EACH(266, symlinkat) EACH(267, readlinkat) EACH(268, fchmodat) EACH(269, faccessat) \
	EACH(270, pselect6) EACH(271, ppoll) EACH(272, unshare) EACH(273, set_robust_list) EACH(274, get_robust_list) \
	EACH(275, splice) EACH(276, tee) EACH(277, sync_file_range) EACH(278, vmsplice) EACH(279, move_pages) \
	EACH(280, utimensat) EACH(281, epoll_pwait) EACH(282, signalfd) EACH(283, timerfd_create) EACH(284, eventfd) \
	EACH(285, fallocate) EACH(286, timerfd_settime) EACH(287, timerfd_gettime) EACH(288, accept4) \
	EACH(289, signalfd4) EACH(290, eventfd2) EACH(291, epoll_create1) EACH(292, dup3) EACH(293, pipe2) \
	EACH(294, inotify_init1) EACH(295, preadv) EACH(296, pwritev) EACH(297, rt_tgsigqueueinfo) \
	EACH(298, perf_event_open) EACH(299, recvmmsg) EACH(300, fanotify_init) EACH(301, fanotify_mark) \
	EACH(302, prlimit64) EACH(303, name_to_handle_at) EACH(304, open_by_handle_at) EACH(305, clock_adjtime) \
	EACH(306, syncfs) EACH(307, sendmmsg) EACH(308, setns) EACH(309, getcpu) EACH(310, process_vm_readv) \
	EACH(311, process_vm_writev) EACH(312, kcmp) EACH(313, finit_module) EACH(314, sched_setattr) \
	EACH(315, sched_getattr) EACH(316, renameat2) EACH(317, seccomp) EACH(318, getrandom) EACH(319, memfd_create) \
	EACH(320, kexec_file_load) EACH(321, bpf) EACH(322, execveat) EACH(323, userfaultfd) EACH(324, membarrier) \
	EACH(325, mlock2) EACH(326, copy_file_range) EACH(327, preadv2) EACH(328, pwritev2) EACH(329, pkey_mprotect) \
	EACH(330, pkey_alloc) EACH(331, pkey_free) EACH(332, statx) EACH(333, io_pgetevents) EACH(334, rseq) \
	EACH(335, uretprobe) EACH(336, uprobe) EACH(424, pidfd_send_signal) EACH(425, io_uring_setup) \
	EACH(426, io_uring_enter) EACH(427, io_uring_register) EACH(428, open_tree) EACH(429, move_mount) \
	EACH(430, fsopen) EACH(431, fsconfig) EACH(432, fsmount) EACH(433, fspick) EACH(434, pidfd_open) \
	EACH(435, clone3) EACH(436, close_range) EACH(437, openat2) EACH(438, pidfd_getfd) EACH(439, faccessat2) \
	EACH(440, process_madvise) EACH(441, epoll_pwait2) EACH(442, mount_setattr) EACH(443, quotactl_fd) \
	EACH(444, landlock_create_ruleset) EACH(445, landlock_add_rule) EACH(446, landlock_restrict_self) \
	EACH(447, memfd_secret) EACH(448, process_mrelease) EACH(449, futex_waitv) EACH(450, set_mempolicy_home_node) \
	EACH(451, cachestat) EACH(452, fchmodat2) EACH(453, map_shadow_stack) EACH(454, futex_wake) \
	EACH(455, futex_wait) EACH(456, futex_requeue) EACH(457, statmount) EACH(458, listmount) \
	EACH(459, lsm_get_self_attr) EACH(460, lsm_set_self_attr) EACH(461, lsm_list_modules) EACH(462, mseal) \
	EACH(463, setxattrat) EACH(464, getxattrat) EACH(465, listxattrat) EACH(466, removexattrat) \
	EACH(467, open_tree_attr) EACH(468, file_getattr) EACH(469, file_setattr)
/* clang-format on */

#define HEDDLE_SYSCALL_NUMBER(number, name) NR_##name = (number),
enum heddle_syscall { HEDDLE_SYSCALLS(HEDDLE_SYSCALL_NUMBER) };

#endif
