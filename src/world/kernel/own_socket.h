/*
 * own_socket.h: connections of the program with itself: a socket is connected to another one on which the same process
 * listens. Data written to them do not leave the process, so they are no effect (effects.h). The kernel provides this
 * information, so a replay does not have it.
 */
#ifndef WORLD_KERNEL_OWN_SOCKET_H
#define WORLD_KERNEL_OWN_SOCKET_H

#include <stdint.h>
#include <sys/socket.h>

/* Call it after a call of the program that connected the socket, or began to connect it. */
void own_socket_connected(int fd, const struct sockaddr *to, uint64_t size);

/* Call it after the program accepted the socket. */
void own_socket_accepted(int fd);

#endif
