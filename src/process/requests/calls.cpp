// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/requests/calls.hpp"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <vector>

#include "base/assert.hpp"
#include "base/compiler_abi.h"
#include "base/signal_safe_mutex.hpp"
#include "libc/ownership/kept_descriptors.hpp"
#include "process/requests/system_code.hpp"
#include "runtime/services/delegation.hpp"
#include "stacks/stacks.hpp"

namespace weft::process {
namespace {

std::array<Performer, static_cast<std::size_t>(Call::kCount)> performers = {};
std::atomic<bool> begun = false;
thread_local bool runs_for_all = false;  // the program's code, on each node
long own_pid = 0;                        // of this process, unlike that of a vfork's child

// The kernel may refuse to read shared memory, and nobody may wait for it under a lock.
struct PrivateRequest {
  explicit PrivateRequest(const Request& asked)
      : copy(asked.bytes.begin(), asked.bytes.end()), request(asked) {
    request.bytes = copy;
  }
  Bytes copy;
  Request request;
};

Answer perform_here(const Request& request) {
  const Performer performer = performers[static_cast<std::size_t>(request.call)];
  WEFT_ASSERT(performer != nullptr, "nobody performs call {}", static_cast<int>(request.call));
  return performer(request);
}

Bytes perform_for_other_node(ByteView message) {
  return to_bytes(perform_here(value_of<Request>(message)));
}

Answer ask(Node& node, NodeId whom, const Request& request) {
  if (whom == node.self()) return perform_here(request);
  return value_of<Answer>(delegate(whom, Delegated::kProcess, to_bytes(request)));
}

// On node 0. What it cannot do itself, nobody does.
Answer change_all(const Request& request) {
  static constinit SignalSafeMutex changing;
  const std::lock_guard guard(changing);
  Answer answer = perform_here(request);
  if (answer.error != 0) return answer;
  Node& node = *this_node();
  for (NodeId other(1); other.value() < node.node_count(); ++other) {
    const Answer there = ask(node, other, request);
    if (there.error == 0) continue;
    node.fail(
        fmt::format("a setting of the process (call {} of src/process/requests/calls.hpp) could be "
                    "changed on node 0, "
                    "but not on node {}: {}; the nodes differ",
                    static_cast<int>(request.call), other.value(), std::strerror(there.error)));
  }
  return answer;
}

Answer run(const Request& request) {
  const auto f = reinterpret_cast<void* (*)(void*)>(request.a);
  runs_for_all = true;
  void* const result = f(reinterpret_cast<void*>(request.b));
  runs_for_all = false;
  return {reinterpret_cast<std::intptr_t>(result)};
}

}  // namespace

void perform(Call call, Performer performer) {
  performers[static_cast<std::size_t>(call)] = performer;
}

Node* job_of_caller(const void* return_address) {
  if (!begun.load(std::memory_order_relaxed) || runs_for_all) return nullptr;
  Node* const node = this_node();
  if (node == nullptr) return nullptr;
  return is_on_program_stack() || !is_system_code(return_address) ? node : nullptr;
}

bool is_process_of_node() { return ::syscall(SYS_getpid) == own_pid; }

Answer everywhere(Node& node, const Request& asked) {
  return on_runtime_stack([&] {
    const PrivateRequest copy(asked);
    const Request& request = copy.request;
    if (!is_process_of_node()) return perform_here(request);
    if (node.self() == NodeId(0)) return change_all(request);
    const Bytes inner = to_bytes(request);
    return ask(node, NodeId(0), {.call = Call::kEverywhere, .bytes = inner});
  });
}

Answer ask_node(Node& node, NodeId whom, const Request& request) {
  return on_runtime_stack([&] { return ask(node, whom, PrivateRequest(request).request); });
}

std::int64_t result_of(const Answer& answer) {
  if (answer.error == 0) return answer.result;
  errno = answer.error;
  return -1;
}

Answer answer_of(std::int64_t result) { return {result, result == -1 ? errno : 0}; }

ByteView bytes_of_text(const char* text) { return bytes_of(text, std::strlen(text) + 1); }

void serve_calls(Node& node) {
  (void)node;
  own_pid = ::syscall(SYS_getpid);
  find_system_code();
  perform(Call::kEverywhere,
          [](const Request& request) { return change_all(value_of<Request>(request.bytes)); });
  perform(Call::kRun, run);
  perform_delegated(Delegated::kProcess, perform_for_other_node);
}

void begin_calls() {
  libc::keep_open_descriptors();
  begun = true;
}

}  // namespace weft::process

extern "C" [[gnu::visibility("default")]] void* __weft_run_everywhere(void* (*f)(void*),
                                                                      void* argument) {
  weft::Node* const node = weft::this_node();
  if (node == nullptr) return f(argument);
  const weft::process::Answer answer =
      weft::process::everywhere(*node, {.call = weft::process::Call::kRun,
                                        .a = reinterpret_cast<std::intptr_t>(f),
                                        .b = reinterpret_cast<std::intptr_t>(argument)});
  return reinterpret_cast<void*>(answer.result);
}
