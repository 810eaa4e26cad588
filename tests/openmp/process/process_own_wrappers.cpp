// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that wraps functions of the C library: its own definition counts, and calls the next
// one. All that the program does comes past it, also by way of the C++ library; what Weft and UCX
// do does not, on any node.

#include <dlfcn.h>
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <thread>
#include <vector>

#include "../check.h"

namespace {

constexpr int kThreads = 3;
constexpr int kRounds = 20;

std::atomic<int> created = 0, locked = 0, written = 0, read_so_far = 0;
std::atomic<bool> creates = true;

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*function)(void*), void* argument) noexcept {
  static const auto real =
      next<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  if (!creates.load()) return EAGAIN;
  ++created;
  return real(thread, attributes, function, argument);
}

extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static const auto real = next<int(pthread_mutex_t*)>("pthread_mutex_lock");
  ++locked;
  return real(mutex);
}

extern "C" ssize_t write(int descriptor, const void* bytes, size_t count) {
  static const auto real = next<ssize_t(int, const void*, size_t)>("write");
  ++written;
  return real(descriptor, bytes, count);
}

extern "C" ssize_t read(int descriptor, void* bytes, size_t count) {
  static const auto real = next<ssize_t(int, void*, size_t)>("read");
  ++read_so_far;
  return real(descriptor, bytes, count);
}

namespace {

void threads_under_a_mutex() {
  std::mutex mutex;
  int count = 0;
  const int created_before = created, locked_before = locked;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        const std::lock_guard<std::mutex> lock(mutex);
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT(count == kThreads * kRounds, "counted to %d", count);
  EXPECT(created - created_before == kThreads, "%d threads came past", created - created_before);
  EXPECT(locked - locked_before >= count, "%d locks came past", locked - locked_before);
}

void no_thread_to_be_had() {
  creates = false;
  bool was_refused = false;
  try {
    std::thread([] {}).join();
  } catch (const std::system_error&) {
    was_refused = true;
  }
  creates = true;
  EXPECT(was_refused, "a thread came of a refusal");
}

void a_pipe_on_each_thread() {
  const int written_before = written, read_before = read_so_far;
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  {
    int ends[2];
    char byte = 'a', back = 0;
    EXPECT(pipe(ends) == 0, "thread %d has no pipe", omp_get_thread_num());
    EXPECT(write(ends[1], &byte, 1) == 1 && read(ends[0], &back, 1) == 1 && back == byte,
           "thread %d got %d through its pipe", omp_get_thread_num(), back);
    close(ends[0]);
    close(ends[1]);
    threads += 1;
  }
  EXPECT(written - written_before == threads, "%d writes of %d threads", written - written_before,
         threads);
  EXPECT(read_so_far - read_before == threads, "%d reads of %d threads", read_so_far - read_before,
         threads);
}

}  // namespace

int main() {
  EXPECT(written == 0, "%d writes before main", written.load());
  threads_under_a_mutex();
  a_pipe_on_each_thread();
  no_thread_to_be_had();
  threads_under_a_mutex();
  return ok();
}
