// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread -D_GNU_SOURCE
//
// Read-write locks of the kind that prefers writers: a reader waits while a writer does, and no
// longer than that. Of the default kind it does not.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "../check.h"

static pthread_rwlock_t lock;
static atomic_int written, read_after;

static void* write_once(void* unused) {
  pthread_rwlock_wrlock(&lock);
  atomic_store(&written, 1);
  pthread_rwlock_unlock(&lock);
  return unused;
}

static void* read_once(void* unused) {
  pthread_rwlock_rdlock(&lock);
  atomic_store(&read_after, atomic_load(&written) + 1);
  pthread_rwlock_unlock(&lock);
  return unused;
}

// The time is long over.
static void* give_up(void* unused) {
  const struct timespec now = {1, 0};
  EXPECT(pthread_rwlock_timedwrlock(&lock, &now) == ETIMEDOUT,
         "A reader has it, and a writer too.");
  return unused;
}

static void prepare(int kind) {
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  EXPECT(pthread_rwlockattr_setkind_np(&attributes, kind) == 0, "kind %d", kind);
  EXPECT(pthread_rwlock_init(&lock, &attributes) == 0, "no lock of kind %d", kind);
  atomic_store(&written, 0);
}

static void prefers_writers(void) {
  pthread_t writer, reader;
  prepare(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  EXPECT(pthread_rwlock_rdlock(&lock) == 0, "read");
  EXPECT(pthread_create(&writer, NULL, write_once, NULL) == 0, "no thread");
  int error;
  while ((error = pthread_rwlock_tryrdlock(&lock)) == 0) {  // until the writer waits
    pthread_rwlock_unlock(&lock);
    sched_yield();
  }
  EXPECT(error == EBUSY, "another try fails with %d.", error);
  EXPECT(pthread_create(&reader, NULL, read_once, NULL) == 0, "no thread");
  EXPECT(pthread_rwlock_unlock(&lock) == 0, "unlock");
  pthread_join(writer, NULL);
  pthread_join(reader, NULL);
  EXPECT(atomic_load(&read_after) == 2, "The reader came before the writer.");
}

// A writer that has given up keeps nobody out.
static void gives_up(void) {
  pthread_t writer;
  prepare(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  EXPECT(pthread_rwlock_rdlock(&lock) == 0, "read");
  EXPECT(pthread_create(&writer, NULL, give_up, NULL) == 0, "no thread");
  pthread_join(writer, NULL);
  EXPECT(pthread_rwlock_rdlock(&lock) == 0, "read again");
  pthread_rwlock_unlock(&lock);
  EXPECT(pthread_rwlock_unlock(&lock) == 0, "unlock");
}

static void by_default(void) {
  pthread_t writer, reader;
  prepare(PTHREAD_RWLOCK_DEFAULT_NP);
  EXPECT(pthread_rwlock_rdlock(&lock) == 0, "read");
  EXPECT(pthread_create(&writer, NULL, write_once, NULL) == 0, "no thread");
  EXPECT(pthread_create(&reader, NULL, read_once, NULL) == 0, "no thread");
  pthread_join(reader, NULL);  // whether the writer waits or is still to come
  EXPECT(atomic_load(&read_after) == 1, "The writer has it, and a reader too.");
  EXPECT(pthread_rwlock_unlock(&lock) == 0, "unlock");
  pthread_join(writer, NULL);
  EXPECT(atomic_load(&written) == 1, "The writer did not come.");
}

int main(void) {
  prefers_writers();
  gives_up();
  by_default();
  return ok();
}
