// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
//
// Threads that one node makes and another joins, cancels, names, or sends signals: as in one
// process, and with what they wrote.

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <future>
#include <thread>
#include <vector>

#include "../check.h"

namespace {

int threads() { return omp_get_max_threads(); }

// One for each thread of the team, made by it.
std::vector<pthread_t> made_by_all(void* (*function)(void*)) {
  std::vector<pthread_t> ids(static_cast<std::size_t>(threads()));
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    const int error = pthread_create(&ids[me], nullptr, function, reinterpret_cast<void*>(me));
    EXPECT(error == 0, "pthread_create: %d", error);
  }
  return ids;
}

int written[64][1000];

void* write_a_row(void* argument) {
  const auto row = reinterpret_cast<std::intptr_t>(argument);
  for (int i = 0; i < 1000; ++i) written[row][i] = static_cast<int>(row) * 1000 + i;
  return reinterpret_cast<void*>(row + 100);
}

void expect_joined(pthread_t id, int row) {
  void* result = nullptr;
  EXPECT(pthread_join(id, &result) == 0, "pthread_join of %d's thread", row);
  EXPECT(reinterpret_cast<std::intptr_t>(result) == row + 100, "its result is %p", result);
  int wrong = 0;
  for (int i = 0; i < 1000; ++i) wrong += written[row][i] != row * 1000 + i;
  EXPECT(wrong == 0, "%d of what thread %d wrote is not there", wrong, row);
}

// Behind the region, by the main thread.
void join_in_series() {
  std::memset(written, 0, sizeof written);
  const std::vector<pthread_t> ids = made_by_all(write_a_row);
  for (int t = 0; t < threads(); ++t) expect_joined(ids[t], t);
}

// In a region, each by its neighbour, while the others go on.
void join_in_a_region() {
  std::memset(written, 0, sizeof written);
  std::vector<pthread_t> ids(static_cast<std::size_t>(threads()));
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), next = (me + 1) % omp_get_num_threads();
    for (int round = 0; round < 3; ++round) {
      pthread_create(&ids[me], nullptr, write_a_row, reinterpret_cast<void*>(me));
#pragma omp barrier
      expect_joined(ids[next], next);
#pragma omp barrier
      for (int i = 0; i < 1000; ++i) written[me][i] = 0;
#pragma omp barrier
    }
  }
}

// Objects of the C++ library over them.
void join_objects() {
  std::vector<std::thread> workers(static_cast<std::size_t>(threads()));
  std::vector<long> sums(workers.size());
  std::vector<std::future<long>> futures(workers.size());
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    workers[me] = std::thread([&sums, me] {
      for (int i = 0; i <= me; ++i) sums[me] += i;
    });
    futures[me] = std::async(std::launch::async, [me] { return 7L * me; });
  }
  for (int t = 0; t < threads(); ++t) {
    workers[t].join();
    EXPECT(sums[t] == t * (t + 1) / 2, "the sum of %d is %ld", t, sums[t]);
    EXPECT(futures[t].get() == 7 * t, "the future of %d has another value", t);
  }
  futures.clear();
#pragma omp parallel
  workers[omp_get_thread_num()] = std::thread([] {});
  for (std::thread& worker : workers) worker.detach();
}

sem_t may_end, has_begun;

void* wait_for_leave(void*) {
  sem_post(&has_begun);
  sem_wait(&may_end);
  return nullptr;
}

void join_if_it_has_ended() {
  const std::vector<pthread_t> ids = made_by_all(wait_for_leave);
  timespec soon = {};
  clock_gettime(CLOCK_REALTIME, &soon);
  for (const pthread_t id : ids) {
    EXPECT(pthread_tryjoin_np(id, nullptr) == EBUSY, "a thread that waits was joined");
    EXPECT(pthread_timedjoin_np(id, nullptr, &soon) == ETIMEDOUT, "a thread was joined in no time");
  }
  for (std::size_t i = 0; i < ids.size(); ++i) sem_post(&may_end);
  for (const pthread_t id : ids) EXPECT(pthread_join(id, nullptr) == 0, "pthread_join");
}

int cleaned;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void* wait_to_be_cancelled(void*) {
  pthread_cleanup_push(
      [](void*) {
        pthread_mutex_lock(&lock);
        ++cleaned;
        pthread_mutex_unlock(&lock);
      },
      nullptr);
  sem_post(&has_begun);
  for (;;) sched_yield(), pthread_testcancel();
  pthread_cleanup_pop(0);
}

void wait_for_all() {
  for (int t = 0; t < threads(); ++t) sem_wait(&has_begun);
}

void cancel() {
  const std::vector<pthread_t> ids = made_by_all(wait_to_be_cancelled);
  wait_for_all();
  for (const pthread_t id : ids) EXPECT(pthread_cancel(id) == 0, "pthread_cancel");
  for (const pthread_t id : ids) {
    void* result = nullptr;
    EXPECT(pthread_join(id, &result) == 0 && result == PTHREAD_CANCELED, "the result is %p",
           result);
  }
  EXPECT(cleaned == threads(), "%d have cleaned up", cleaned);
}

volatile sig_atomic_t caught[64];
thread_local int my_number;

void on_signal(int) { caught[my_number] = caught[my_number] + 1; }

void* wait_for_a_signal(void* argument) {
  my_number = static_cast<int>(reinterpret_cast<std::intptr_t>(argument));
  signal(SIGUSR1, on_signal);
  sem_post(&has_begun);
  while (caught[my_number] == 0) sched_yield();
  return nullptr;
}

void send_signals() {
  const std::vector<pthread_t> ids = made_by_all(wait_for_a_signal);
  wait_for_all();
  for (const pthread_t id : ids) {
    EXPECT(pthread_kill(id, 0) == 0, "a thread is not there");
    EXPECT(pthread_kill(id, 1000) == EINVAL, "there is no such signal");
    EXPECT(pthread_kill(id, SIGUSR1) == 0, "pthread_kill");
  }
  for (const pthread_t id : ids) EXPECT(pthread_join(id, nullptr) == 0, "pthread_join");
  for (int t = 0; t < threads(); ++t) EXPECT(caught[t] == 1, "%d caught %d", t, (int)caught[t]);
}

void ask_and_tell() {
  const std::vector<pthread_t> ids = made_by_all(wait_for_leave);
  for (int t = 0; t < threads(); ++t) {
    char name[16], told[16];
    std::snprintf(name, sizeof name, "number %d", t);
    EXPECT(pthread_setname_np(ids[t], name) == 0, "pthread_setname_np");
    EXPECT(pthread_getname_np(ids[t], told, sizeof told) == 0, "pthread_getname_np");
    EXPECT(std::strcmp(name, told) == 0, "the name is %s, not %s", told, name);
    EXPECT(pthread_getname_np(ids[t], told, 2) == ERANGE, "the name has come into 2 bytes");

    cpu_set_t processors, again;
    EXPECT(pthread_getaffinity_np(ids[t], sizeof processors, &processors) == 0, "affinity");
    EXPECT(pthread_setaffinity_np(ids[t], sizeof processors, &processors) == 0, "affinity");
    EXPECT(pthread_getaffinity_np(ids[t], sizeof again, &again) == 0, "affinity");
    EXPECT(CPU_EQUAL(&processors, &again) && CPU_COUNT(&again) > 0, "the affinity is another");

    int policy = -1;
    sched_param parameters = {};
    EXPECT(pthread_getschedparam(ids[t], &policy, &parameters) == 0, "pthread_getschedparam");
    EXPECT(policy == SCHED_OTHER && parameters.sched_priority == 0, "the policy is %d", policy);
    EXPECT(pthread_setschedparam(ids[t], policy, &parameters) == 0, "pthread_setschedparam");
    EXPECT(pthread_setschedprio(ids[t], 0) == 0, "pthread_setschedprio");

    pthread_attr_t attributes;
    int state = -1;
    std::size_t bytes = 0;
    void* stack = nullptr;
    EXPECT(pthread_getattr_np(ids[t], &attributes) == 0, "pthread_getattr_np");
    pthread_attr_getdetachstate(&attributes, &state);
    pthread_attr_getstack(&attributes, &stack, &bytes);
    EXPECT(state == PTHREAD_CREATE_JOINABLE && stack != nullptr && bytes > 0, "%d, %p, %zu", state,
           stack, bytes);
    pthread_attr_destroy(&attributes);
  }
  wait_for_all();
  for (const pthread_t id : ids) EXPECT(pthread_detach(id) == 0, "pthread_detach");
  for (std::size_t i = 0; i < ids.size(); ++i) sem_post(&may_end);
}

}  // namespace

int main() {
  sem_init(&may_end, 0, 0);
  sem_init(&has_begun, 0, 0);
  join_in_series();
  join_in_a_region();
  join_objects();
  join_if_it_has_ended();
  wait_for_all();
  cancel();
  send_signals();
  ask_and_tell();
  return ok();
}
