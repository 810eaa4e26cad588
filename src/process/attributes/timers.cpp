// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Alarms, interval timers and POSIX timers are node 0's, whichever node sets them: there is one of
// each kind, its signal goes to the process that has the job's number, and any node may change it.
// A timer of one thread's processor time, or one that signals one thread, can only be had on node
// 0.
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "libc/interposition/io_bounce.hpp"
#include "process/attributes/main_thread.hpp"
#include "process/requests/topics.hpp"

namespace weft::process {
namespace {

template <typename T>
T object_of(ByteView bytes) {
  T object = {};
  std::memcpy(&object, bytes.data(), bytes.size() < sizeof object ? bytes.size() : sizeof object);
  return object;
}

template <typename T>
Answer with_object(std::int64_t result, const T& object) {
  Answer answer = answer_of(result);
  const ByteView bytes = bytes_of(&object, sizeof object);
  answer.bytes.assign(bytes.begin(), bytes.end());
  return answer;
}

timer_t timer_of(const Request& request) { return reinterpret_cast<timer_t>(request.a); }

Answer set_interval(const Request& request) {
  const auto value = object_of<itimerval>(request.bytes);
  itimerval old = {};
  return with_object(WEFT_REAL(setitimer)(static_cast<__itimer_which_t>(request.a), &value, &old),
                     old);
}

Answer get_interval(const Request& request) {
  itimerval value = {};
  return with_object(WEFT_REAL(getitimer)(static_cast<__itimer_which_t>(request.a), &value), value);
}

Answer make_timer(const Request& request) {
  auto event = object_of<sigevent>(request.bytes);
  timer_t timer = {};
  sigevent* const given = request.bytes.empty() ? nullptr : &event;
  return with_object(WEFT_REAL(timer_create)(static_cast<clockid_t>(request.a), given, &timer),
                     timer);
}

Answer set_timer(const Request& request) {
  const auto value = object_of<itimerspec>(request.bytes);
  itimerspec old = {};
  return with_object(
      WEFT_REAL(timer_settime)(timer_of(request), static_cast<int>(request.b), &value, &old), old);
}

Answer get_timer(const Request& request) {
  itimerspec value = {};
  return with_object(WEFT_REAL(timer_gettime)(timer_of(request), &value), value);
}

// What node 0 answers; `out` may be null.
template <typename T>
int ask_first(Node& node, const Request& request, T* out) {
  const Answer answer = ask_node(node, NodeId(0), request);
  if (answer.error == 0 && out != nullptr) *out = object_of<T>(answer.bytes);
  return static_cast<int>(result_of(answer));
}

bool is_of_thread(clockid_t clock, const sigevent* event) {
  return clock == CLOCK_THREAD_CPUTIME_ID ||
         (event != nullptr && event->sigev_notify == SIGEV_THREAD_ID);
}

std::int64_t number_of(timer_t timer) { return reinterpret_cast<std::intptr_t>(timer); }

}  // namespace

void perform_timers() {
  perform(Call::kAlarm,
          [](const Request& r) { return Answer{WEFT_REAL(alarm)(static_cast<unsigned>(r.a))}; });
  perform(Call::kSetInterval, set_interval);
  perform(Call::kGetInterval, get_interval);
  perform(Call::kMakeTimer, make_timer);
  perform(Call::kSetTimer, set_timer);
  perform(Call::kGetTimer, get_timer);
  perform(Call::kDeleteTimer,
          [](const Request& r) { return answer_of(WEFT_REAL(timer_delete)(timer_of(r))); });
  perform(Call::kTimerOverrun,
          [](const Request& r) { return answer_of(WEFT_REAL(timer_getoverrun)(timer_of(r))); });
}

WEFT_ENTRY(unsigned, alarm, unsigned seconds) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(alarm)(seconds);
  return static_cast<unsigned>(
      ask_node(*node, NodeId(0), {.call = Call::kAlarm, .a = seconds}).result);
}
WEFT_ENTRY(useconds_t, ualarm, useconds_t value, useconds_t interval) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(ualarm)(value, interval);
  const itimerval wanted = {{0, static_cast<suseconds_t>(interval)},
                            {0, static_cast<suseconds_t>(value)}};
  itimerval old = {};
  if (ask_first(
          *node,
          {.call = Call::kSetInterval, .a = ITIMER_REAL, .bytes = bytes_of(&wanted, sizeof wanted)},
          &old) != 0) {
    return static_cast<useconds_t>(-1);
  }
  return static_cast<useconds_t>(old.it_value.tv_sec * 1'000'000 + old.it_value.tv_usec);
}
WEFT_ENTRY(int, setitimer, __itimer_which_t which, const itimerval* value, itimerval* old) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr)
    return libc::call(WEFT_REAL(setitimer), which, libc::memory(value), libc::memory(old));
  const itimerval wanted = value == nullptr ? itimerval{} : *value;
  return ask_first(*node,
                   {.call = Call::kSetInterval,
                    .a = static_cast<std::int64_t>(which),
                    .bytes = bytes_of(&wanted, sizeof wanted)},
                   old);
}
WEFT_ENTRY(int, getitimer, __itimer_which_t which, itimerval* out) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return libc::call(WEFT_REAL(getitimer), which, libc::memory(out));
  return ask_first(*node, {.call = Call::kGetInterval, .a = static_cast<std::int64_t>(which)}, out);
}

WEFT_ENTRY(int, timer_create, clockid_t clock, sigevent* event, timer_t* timer) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) {
    return libc::call(WEFT_REAL(timer_create), clock, libc::memory(event), libc::memory(timer));
  }
  if (node->self() == NodeId(0)) {
    sigevent copy = event == nullptr ? sigevent{} : *event;
    if (copy.sigev_notify == SIGEV_THREAD_ID) {
      copy._sigev_un._tid = thread_meant(copy._sigev_un._tid).thread;
    }
    return libc::call(WEFT_REAL(timer_create), clock,
                      libc::memory(event == nullptr ? nullptr : &copy), libc::memory(timer));
  }
  if (is_of_thread(clock, event)) return errno = ENOTSUP, -1;
  return ask_first(*node,
                   {.call = Call::kMakeTimer,
                    .a = clock,
                    .bytes = bytes_of(event, event == nullptr ? 0 : sizeof *event)},
                   timer);
}
WEFT_ENTRY(int, timer_settime, timer_t timer, int flags, const itimerspec* value, itimerspec* old) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) {
    return libc::call(WEFT_REAL(timer_settime), timer, flags, libc::memory(value),
                      libc::memory(old));
  }
  return ask_first(*node,
                   {.call = Call::kSetTimer,
                    .a = number_of(timer),
                    .b = flags,
                    .bytes = bytes_of(value, sizeof *value)},
                   old);
}
WEFT_ENTRY(int, timer_gettime, timer_t timer, itimerspec* out) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return libc::call(WEFT_REAL(timer_gettime), timer, libc::memory(out));
  return ask_first(*node, {.call = Call::kGetTimer, .a = number_of(timer)}, out);
}
WEFT_ENTRY(int, timer_delete, timer_t timer) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(timer_delete)(timer);
  return static_cast<int>(
      result_of(ask_node(*node, NodeId(0), {.call = Call::kDeleteTimer, .a = number_of(timer)})));
}
WEFT_ENTRY(int, timer_getoverrun, timer_t timer) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(timer_getoverrun)(timer);
  return static_cast<int>(
      result_of(ask_node(*node, NodeId(0), {.call = Call::kTimerOverrun, .a = number_of(timer)})));
}

}  // namespace weft::process
