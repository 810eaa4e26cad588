// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/lifetime/endings.hpp"

#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

#include "base/signal_safe_mutex.hpp"
#include "base/threads/guard_words.hpp"
#include "libc/interposition/interpose.hpp"
#include "process/requests/topics.hpp"
#include "stacks/stacks.hpp"

extern "C" int __cxa_at_quick_exit(void (*handler)(void*), void* library);
// The C library's list of streams (stdio.h of libio; exported for other libraries of C).
extern "C" FILE* _IO_iter_begin();
extern "C" FILE* _IO_iter_end();
extern "C" FILE* _IO_iter_next(FILE* at);
extern "C" FILE* _IO_iter_file(FILE* at);
extern "C" void _IO_list_lock();
extern "C" void _IO_list_unlock();

namespace weft::process {
namespace {

using Handler = void (*)(void*);
using ExitHandler = void (*)(int, void*);

enum class Kind : std::int64_t { kPlain, kTakesStatus, kQuick };

struct Ending {
  Kind kind;
  std::int64_t function, argument;
  void run(int status) const {
    auto* const with = reinterpret_cast<void*>(argument);
    if (kind == Kind::kTakesStatus) return reinterpret_cast<ExitHandler>(function)(status, with);
    reinterpret_cast<Handler>(function)(with);
  }
};

// Of node 0. As long as the C library's lists of run_last; in a child of fork, too.
struct Endings {
  SignalSafeMutex lock;
  std::vector<Ending> at_exit, at_quick_exit;
  std::vector<Ending>& of(bool quick) { return quick ? at_quick_exit : at_exit; }
};
Endings* endings = nullptr;
std::atomic<int> quick_status = 0;

std::optional<Ending> take_last(bool quick) {
  const std::lock_guard guard(endings->lock);
  std::vector<Ending>& list = endings->of(quick);
  if (list.empty()) return std::nullopt;
  const Ending last = list.back();
  list.pop_back();
  return last;
}

// Called by the C library of node 0, as often as something was registered. It may have been taken
// by another node since.
void run_last(bool quick, int status) {
  const std::optional<Ending> last = this_node() == nullptr
                                         ? take_last(quick)
                                         : on_runtime_stack([&] { return take_last(quick); });
  if (last) last->run(status);
}

Answer keep(const Request& request) {
  const Ending ending{static_cast<Kind>(request.c), request.a, request.b};
  const bool quick = ending.kind == Kind::kQuick;
  const std::lock_guard guard(endings->lock);
  const WithProcessPointerGuard with_guard;  // the caller may be a thread that has moved here
  const int refused =
      quick ? WEFT_REAL(__cxa_at_quick_exit)([](void*) { run_last(true, 0); }, nullptr)
            : WEFT_REAL(on_exit)([](int status, void*) { run_last(false, status); }, nullptr);
  if (refused == 0) endings->of(quick).push_back(ending);
  return {refused};
}

Answer take_for_other(const Request& request) {
  const std::optional<Ending> last = take_last(request.a != 0);
  if (!last) return {0};
  return {1, 0,
          Bytes(bytes_of(&*last, sizeof *last).begin(), bytes_of(&*last, sizeof *last).end())};
}

int ask_to_keep(Node& node, Ending ending) {
  const Request request = {.call = Call::kKeepEnding,
                           .a = ending.function,
                           .b = ending.argument,
                           .c = static_cast<std::int64_t>(ending.kind)};
  return static_cast<int>(ask_node(node, NodeId(0), request).result);
}

// On the program's stack, from inside exit of another node than 0.
void run_all(bool quick, int status) {
  for (;;) {
    Ending ending = {};
    const bool is_one = on_runtime_stack([&] {
      const Request request = {.call = Call::kTakeEnding, .a = quick};
      const Answer answer = ask_node(*this_node(), NodeId(0), request);
      if (answer.result != 0) std::memcpy(&ending, answer.bytes.data(), sizeof ending);
      return answer.result != 0;
    });
    if (!is_one) return;
    ending.run(status);
  }
}

// Which thread of the job ends the program: the first that asks, and it may ask again.
Answer claim_end(const Request& request) {
  static std::atomic<std::int64_t> ender = 0;
  std::int64_t present = 0;
  return {ender.compare_exchange_strong(present, request.a) || present == request.a};
}

// Another thread's exit is under way: the C library would begin to end the process beside it.
void wait_if_others_exit(Node& node) {
  const std::int64_t me = std::int64_t{node.self().value()} << 32 | ::syscall(SYS_gettid);
  if (ask_node(node, NodeId(0), {.call = Call::kClaimEnd, .a = me}).result != 0) return;
  for (;;) pause();
}

// exit and quick_exit of the program's: on another node the C library's list has nothing of it yet.
void prepare_end(Node* node, bool quick) {
  // For good: the C library has hidden its list with it.
  if (process_guard_words.pointer_guard != 0) set_pointer_guard(process_guard_words.pointer_guard);
  if (node == nullptr || !is_process_of_node()) return;
  wait_if_others_exit(*node);
  if (node->self() == NodeId(0)) return;
  if (quick) {
    (void)WEFT_REAL(__cxa_at_quick_exit)([](void*) { run_all(true, 0); }, nullptr);
  } else {
    (void)WEFT_REAL(on_exit)([](int status, void*) { run_all(false, status); }, nullptr);
  }
}

}  // namespace

void perform_endings() {
  endings = new Endings;
  perform(Call::kKeepEnding, keep);
  perform(Call::kTakeEnding, take_for_other);
  perform(Call::kClaimEnd, claim_end);
  perform(Call::kFlushStreams, [](const Request&) {
    flush_all_streams();
    return Answer();
  });
}

int at_exit_call(Node& node, Handler handler, void* argument) {
  return ask_to_keep(node, {Kind::kPlain, reinterpret_cast<std::intptr_t>(handler),
                            reinterpret_cast<std::intptr_t>(argument)});
}

int status_of_quick_exit() { return quick_status; }

void flush_all_streams() {
  _IO_list_lock();
  for (FILE* at = _IO_iter_begin(); at != _IO_iter_end(); at = _IO_iter_next(at)) {
    FILE* const stream = _IO_iter_file(at);
    if (__fpending(stream) == 0 || ftrylockfile(stream) != 0) continue;
    (void)fflush_unlocked(stream);
    funlockfile(stream);
  }
  _IO_list_unlock();
}

void flush_streams_elsewhere(Node& node) {
  for (NodeId other; other.value() < node.node_count(); ++other) {
    if (other != node.self()) (void)ask_node(node, other, {.call = Call::kFlushStreams});
  }
}

WEFT_ENTRY(int, __cxa_at_quick_exit, Handler handler, void* library) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(__cxa_at_quick_exit)(handler, library);
  return ask_to_keep(*node, {Kind::kQuick, reinterpret_cast<std::intptr_t>(handler), 0});
}

WEFT_ENTRY(int, on_exit, ExitHandler handler, void* argument) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(on_exit)(handler, argument);
  return ask_to_keep(*node, {Kind::kTakesStatus, reinterpret_cast<std::intptr_t>(handler),
                             reinterpret_cast<std::intptr_t>(argument)});
}

WEFT_ENTRY(void, exit, int status) {
  prepare_end(WEFT_JOB_OF_CALLER(), false);
  WEFT_REAL(exit)(status);
}

WEFT_ENTRY(void, quick_exit, int status) {
  prepare_end(WEFT_JOB_OF_CALLER(), true);
  quick_status = status;
  WEFT_REAL(quick_exit)(status);
}

}  // namespace weft::process
