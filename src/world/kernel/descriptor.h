/*
 * descriptor.h: facts about the program's descriptors, and waiting for them. A descriptor is internal while only
 * this process can make it ready: a pipe, a socket pair or an event counter that it made itself and has not shared by
 * forking. When threads wait for internal descriptors only, nothing from outside can help.
 */
#ifndef WORLD_KERNEL_DESCRIPTOR_H
#define WORLD_KERNEL_DESCRIPTOR_H

#include <poll.h>

#include "world/world.h"

/* Which of the program's standard streams it is: 1, 2, or 0 for none. */
int descriptor_output(int fd);
void descriptor_set_output(int fd, int stream);

/* Whether it is a regular file or a folder, on which calls never wait. */
bool descriptor_is_plain(int fd);
bool descriptor_is_socket(int fd);
/* Whether it is a socket, a pipe or a terminal, which may accept a part of the bytes. */
bool descriptor_is_stream(int fd);
bool descriptor_is_blocking(int fd);
bool descriptor_is_ours(int fd);
/* Whether only this process can make it ready. */
bool descriptor_is_internal(int fd);
/* Whether data written to it stay in this process, although others could make it ready: see own_socket.h. Not known in
 * a replay. */
bool descriptor_is_own(int fd);
void descriptor_set_own(int fd);

/* After a call of the program that returned result: keeps the tables up to date. Also in a replay. */
void descriptor_after(long number, const uint64_t arguments[6], long result);

/* The number `to` now refers to the same file as `from`; or the number was closed. For descriptors that the program
 * does not know about. */
void descriptor_copied(int from, int to);
void descriptor_closed(int fd);

/* The program forked: all internal descriptors are shared from here on. */
void descriptor_share_all(void);

/* Whether it can be read (POLLIN) or written (POLLOUT) now, or whether that would fail at once. */
bool descriptor_is_ready(int fd, short events);

#endif
