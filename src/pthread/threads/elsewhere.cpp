// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/threads/elsewhere.hpp"

#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "libc/interposition/interpose.hpp"
#include "pthread/threads/birth.hpp"
#include "pthread/threads/carriers.hpp"
#include "pthread/threads/own_threads.hpp"
#include "pthread/threads/processors.hpp"
#include "pthread/threads/running.hpp"
#include "pthread/threads/thread_ids.hpp"
#include "pthread/threads/threads.hpp"
#include "runtime/services/delegation.hpp"

namespace weft::pthread {
namespace {

template <typename T>
T object_of(ByteView bytes) {
  T object = {};
  std::memcpy(&object, bytes.data(), std::min(bytes.size(), sizeof object));
  return object;
}

template <typename T>
Bytes bytes_of(const T& object) {
  const ByteView view = std::as_bytes(std::span(&object, 1));
  return {view.begin(), view.end()};
}

ThreadAnswer answer_with(int error, void* const& result) {
  return {error, reinterpret_cast<std::uint64_t>(result)};
}

ThreadAnswer join(pthread_t id, const ThreadRequest& request) {
  void* result = nullptr;
  if (request.call == ThreadCall::kJoin) return answer_with(join_own(id, &result), result);
  if (request.call == ThreadCall::kTryJoin) {
    return answer_with(try_to_join_own(id, &result), result);
  }
  const auto until = object_of<timespec>(request.bytes);
  const auto clock = static_cast<clockid_t>(request.a);
  return answer_with(join_own_until(id, &result, clock, &until), result);
}

ThreadAnswer attributes_of(pthread_t id) {
  pthread_attr_t all;
  if (const int error = WEFT_REAL(pthread_getattr_np)(id, &all); error != 0) return {error};
  ThreadAttributes told = {};
  std::size_t stack_bytes = 0, guard_bytes = 0;
  pthread_attr_getstack(&all, &told.stack, &stack_bytes);
  pthread_attr_getguardsize(&all, &guard_bytes);
  pthread_attr_getdetachstate(&all, &told.detach_state);
  pthread_attr_destroy(&all);
  told.stack_bytes = stack_bytes;
  told.guard_bytes = guard_bytes;
  return {0, 0, bytes_of(told)};
}

ThreadAnswer affinity_of(pthread_t id, std::size_t bytes) {
  Bytes set(bytes);
  auto* const begin = reinterpret_cast<cpu_set_t*>(set.data());
  const int error = WEFT_REAL(pthread_getaffinity_np)(id, bytes, begin);
  return {error, 0, std::move(set)};
}

ThreadAnswer name_of(pthread_t id, std::size_t bytes) {
  Bytes name(bytes);
  const int error = WEFT_REAL(pthread_getname_np)(id, reinterpret_cast<char*>(name.data()), bytes);
  return {error, 0, std::move(name)};
}

ThreadAnswer scheduling_of(pthread_t id) {
  int policy = 0;
  sched_param parameters = {};
  const int error = WEFT_REAL(pthread_getschedparam)(id, &policy, &parameters);
  return {error, static_cast<std::uint64_t>(policy), bytes_of(parameters)};
}

ThreadAnswer set_scheduling(pthread_t id, const ThreadRequest& request) {
  const auto parameters = object_of<sched_param>(request.bytes);
  return {WEFT_REAL(pthread_setschedparam)(id, static_cast<int>(request.a), &parameters)};
}

ThreadAnswer perform(pthread_t id, const ThreadRequest& request) {
  const auto number = static_cast<int>(request.a);
  const auto* const bytes = request.bytes.data();
  switch (request.call) {
    case ThreadCall::kJoin:
    case ThreadCall::kTryJoin:
    case ThreadCall::kJoinUntil:
      return join(id, request);
    case ThreadCall::kDetach:
      return {detach_own(id)};
    case ThreadCall::kCancel:
      return {cancel_own(id)};
    case ThreadCall::kKill:
      return {WEFT_REAL(pthread_kill)(id, number)};
    case ThreadCall::kQueueSignal:
      return {WEFT_REAL(pthread_sigqueue)(id, number,
                                          sigval{.sival_ptr = reinterpret_cast<void*>(request.b)})};
    case ThreadCall::kAttributes:
      return attributes_of(id);
    case ThreadCall::kSetAffinity:
      return {WEFT_REAL(pthread_setaffinity_np)(id, request.bytes.size(),
                                                reinterpret_cast<const cpu_set_t*>(bytes))};
    case ThreadCall::kAffinity:
      return affinity_of(id, static_cast<std::size_t>(request.a));
    case ThreadCall::kSetName:
      return {WEFT_REAL(pthread_setname_np)(id, reinterpret_cast<const char*>(bytes))};
    case ThreadCall::kName:
      return name_of(id, static_cast<std::size_t>(request.a));
    case ThreadCall::kSetScheduling:
      return set_scheduling(id, request);
    case ThreadCall::kScheduling:
      return scheduling_of(id);
    case ThreadCall::kSetPriority:
      return {WEFT_REAL(pthread_setschedprio)(id, number)};
    case ThreadCall::kProcessors:
      return {0, 0, to_bytes(processors_of_node())};
    case ThreadCall::kCreate:
      return create_for_other_node(value_of<ThreadBirth>(request.bytes));
    case ThreadCall::kEquip:
      return {equip(value_of<CarrierWanted>(request.bytes))};
    case ThreadCall::kAwaitOthers:
      return {0, wait_for_threads_here()};
  }
  return {EINVAL};
}

// The answer of a node that the thread has left, or at which it has not yet come.
constexpr int kNotHere = -1;

ThreadAnswer perform_if_here(pthread_t id, const ThreadRequest& request) {
  Carrier* const carrier = carrier_of(id);
  if (carrier == nullptr) return perform(untagged(id), request);
  const std::lock_guard guard(carrier->guard);
  if (!carrier->is_here) return {kNotHere};
  if (request.call == ThreadCall::kCancel) {
    carrier->is_asked_to_end = true;
    if (carrier->home != this_node()->self()) return {0};  // it goes home for that
  }
  return perform(untagged(id), request);
}

Bytes perform_for_other_node(ByteView message) {
  const auto [id, request] = value_of<ThreadQuestion>(message);
  if (!is_where_it_runs(request.call)) return to_bytes(perform(untagged(id), request));
  if (is_of_this_node(id)) return to_bytes(follow_thread(id, request));
  return to_bytes(perform_if_here(id, request));
}

}  // namespace

bool is_where_it_runs(ThreadCall call) {
  switch (call) {
    case ThreadCall::kCancel:
    case ThreadCall::kKill:
    case ThreadCall::kQueueSignal:
    case ThreadCall::kSetAffinity:
    case ThreadCall::kAffinity:
    case ThreadCall::kSetName:
    case ThreadCall::kName:
    case ThreadCall::kSetScheduling:
    case ThreadCall::kScheduling:
    case ThreadCall::kSetPriority:
      return true;
    default:
      return false;
  }
}

// It may move again while it is asked for: then its home soon knows better.
ThreadAnswer follow_thread(pthread_t id, const ThreadRequest& request) {
  const NodeId self = this_node()->self();
  for (;;) {
    Carrier* const carrier = carrier_of(id);
    const NodeId at = carrier == nullptr ? self : whereabouts_of(*carrier);
    ThreadAnswer answer =
        at == self ? perform_if_here(id, request) : ask_about_thread(at, id, request);
    if (answer.error != kNotHere) return answer;
    sched_yield();
  }
}

ThreadAnswer ask_about_thread(NodeId node, pthread_t id, const ThreadRequest& request) {
  return value_of<ThreadAnswer>(
      delegate(node, Delegated::kThread, to_bytes(ThreadQuestion{id, request})));
}

void serve_threads() { perform_delegated(Delegated::kThread, perform_for_other_node); }

}  // namespace weft::pthread
