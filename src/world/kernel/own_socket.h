/*
 * own_socket.h: connections of the program with itself: a socket that is connected to one that the same process listens at. What is written to
 * them does not leave the process, so it is no effect (effects.h). The kernel is asked, so nothing is known of them in a replay.
 */
#ifndef WORLD_KERNEL_OWN_SOCKET_H
#define WORLD_KERNEL_OWN_SOCKET_H

#include <stdint.h>
#include <sys/socket.h>

/* After a call of the program that connected it, or began to. */
void own_socket_connected(int fd, const struct sockaddr *to, uint64_t size);

/* It was accepted. */
void own_socket_accepted(int fd);

#endif
