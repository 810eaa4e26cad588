// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread -D_GNU_SOURCE -rdynamic
//
// A thread that has the dynamic linker's lock and waits: it is in the resolver of a symbol. Its
// node serves the others meanwhile: calls that block, as many at once as there are threads that
// make them, pages, locks, births of threads and their ends.

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/weft.h>

#include "../check.h"

enum { kReaders = 5, kWords = 4096 };

static sem_t is_inside, may_leave, has_begun;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int fifos[kReaders];
static long words[kWords];

static int forty_two(void) { return 42; }

// Of the symbol below, which nothing but dlsym uses: called with the linker's lock.
static void* resolve(void) {
  sem_post(&is_inside);
  sem_wait(&may_leave);
  return (void*)forty_two;
}
int answer(void) __attribute__((ifunc("resolve"), visibility("default")));

static void start_on(int node, pthread_t* id, void* (*function)(void*), void* argument) {
  EXPECT(weft_thread_on(node) == WEFT_OK, "No thread starts on node %d.", node);
  EXPECT(pthread_create(id, NULL, function, argument) == 0, "There is no thread.");
}

// Whose files are opened here, this node reads them for the others.
static void* find(void* unused) {
  (void)unused;
  char folder[] = "/tmp/linker_lock.XXXXXX", path[64];
  EXPECT(mkdtemp(folder) != NULL, "There is no folder.");
  snprintf(path, sizeof path, "%s/fifo", folder);
  for (int number = 0; number < kReaders; ++number) {
    EXPECT(mkfifo(path, 0600) == 0, "There is no FIFO.");
    fifos[number] = open(path, O_RDWR);
    EXPECT(fifos[number] >= 0, "It does not open.");
    unlink(path);
  }
  rmdir(folder);
  int (*const found)(void) = (int (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "answer");
  EXPECT(found != NULL && found() == 42, "The symbol is another.");
  return NULL;
}

static void* read_one(void* argument) {
  const long number = (long)argument;
  char byte = 0;
  sem_post(&has_begun);
  const ssize_t bytes = read(fifos[number], &byte, 1);
  EXPECT(bytes == 1, "%zd bytes are read: %s.", bytes, strerror(errno));
  EXPECT(byte == (char)number, "The byte is %d.", byte);
  return NULL;
}

static void* add(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  for (int word = 0; word < kWords; ++word) words[word] += word;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

// From another node than the resolver's.
static void* ask(void* unused) {
  (void)unused;
  sem_wait(&is_inside);
  pthread_t readers[kReaders], adder;
  for (long number = 0; number < kReaders; ++number) {
    start_on(weft_node(), &readers[number], read_one, (void*)number);
    sem_wait(&has_begun);
  }
  for (int turn = 0; turn < 10; ++turn) {
    start_on(turn % weft_nodes(), &adder, add, NULL);
    add(NULL);
    EXPECT(pthread_join(adder, NULL) == 0, "There is no thread to join.");
  }
  for (int number = 0; number < kReaders; ++number) {
    const char byte = (char)number;
    EXPECT(write(fifos[number], &byte, 1) == 1, "The byte was not written.");
    pthread_join(readers[number], NULL);
    close(fifos[number]);
  }
  sem_post(&may_leave);
  return NULL;
}

int main(void) {
  sem_init(&is_inside, 0, 0);
  sem_init(&may_leave, 0, 0);
  sem_init(&has_begun, 0, 0);
  for (int node = 0; node < weft_nodes(); ++node) {
    pthread_t finder, asker;
    start_on(node, &finder, find, NULL);
    start_on((node + 1) % weft_nodes(), &asker, ask, NULL);
    pthread_join(finder, NULL);
    pthread_join(asker, NULL);
  }
  for (long word = 0; word < kWords; ++word) {
    EXPECT(words[word] == 20 * word * weft_nodes(), "Word %ld is %ld.", word, words[word]);
  }
  return ok();
}
