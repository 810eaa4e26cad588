// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
//
// main ends by pthread_exit, and another thread joins its thread, as any other, from whichever
// node.

#include <pthread.h>

#include "../check.h"

static int value;

static void* join(void* main_thread) {
  void* result = NULL;
  const int error = pthread_join(*(pthread_t*)main_thread, &result);
  EXPECT(error == 0 && result == &value, "pthread_join: %d", error);
  ok();
  return NULL;
}

int main(void) {
  static pthread_t self;
  self = pthread_self();
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, join, &self) == 0, "pthread_create");
  pthread_exit(&value);
}
