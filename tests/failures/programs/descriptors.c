// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last thread uses what the main thread has made and is no file.
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int pipes[2], sockets[2], polls, events;

static void call(const char* name) {
  char bytes[8] = {0};
  struct epoll_event event = {.events = EPOLLIN};
  if (strcmp(name, "read") == 0) (void)!read(pipes[0], bytes, sizeof bytes);
  if (strcmp(name, "write") == 0) (void)!write(pipes[1], bytes, sizeof bytes);
  if (strcmp(name, "eventfd") == 0) (void)!write(events, bytes, sizeof bytes);
  if (strcmp(name, "send") == 0) send(sockets[0], bytes, sizeof bytes, 0);
  if (strcmp(name, "recvmsg") == 0) recvmsg(sockets[0], &(struct msghdr){0}, 0);
  if (strcmp(name, "accept") == 0) accept(sockets[0], NULL, NULL);
  if (strcmp(name, "epoll_ctl") == 0) epoll_ctl(polls, EPOLL_CTL_ADD, pipes[0], &event);
  if (strcmp(name, "epoll_wait") == 0) epoll_wait(polls, &event, 1, 0);
}

int main(int argc, char** argv) {
  if (pipe(pipes) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return 2;
  polls = epoll_create1(0);
  events = eventfd(0, 0);
#pragma omp parallel
  if (omp_get_thread_num() == omp_get_num_threads() - 1 && argc > 1) call(argv[1]);
  printf("nothing has happened\n");
  return 0;
}
