// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waiting for child processes: a child is its node's process's, but any thread of the job may wait
// for it. Who has no such child asks the other nodes in turn.
#include <sys/resource.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>

#include "libc/interposition/io_bounce.hpp"
#include "process/requests/topics.hpp"
#include "stacks/stacks.hpp"

namespace weft::process {
namespace {

struct Ended {
  int status = 0;
  rusage usage = {};
};

Answer wait_here(const Request& request) {
  Ended ended;
  const pid_t child = WEFT_REAL(wait4)(static_cast<pid_t>(request.a), &ended.status,
                                       static_cast<int>(request.b), &ended.usage);
  Answer answer = answer_of(child);
  const ByteView bytes = bytes_of(&ended, sizeof ended);
  answer.bytes.assign(bytes.begin(), bytes.end());
  return answer;
}

// The same by waitid, which can name groups and leave the child to be waited for again.
Answer wait_here_by_id(const Request& request) {
  siginfo_t info = {};
  Answer answer =
      answer_of(WEFT_REAL(waitid)(static_cast<idtype_t>(request.a), static_cast<id_t>(request.b),
                                  &info, static_cast<int>(request.c)));
  const ByteView bytes = bytes_of(&info, sizeof info);
  answer.bytes.assign(bytes.begin(), bytes.end());
  return answer;
}

Answer wait_here_for(const Request& request) {
  return request.call == Call::kWait ? wait_here(request) : wait_here_by_id(request);
}

// By the caller first: a signal interrupts the wait, as it should.
Answer wait_somewhere(Node& node, const Request& request) {
  Answer answer = wait_here_for(request);
  const unsigned nodes = node.node_count(), self = node.self().value();
  for (unsigned i = 1; i < nodes && answer.error == ECHILD; ++i) {
    const NodeId other(static_cast<NodeId::representation>((self + i) % nodes));
    answer = ask_node(node, other, request);
  }
  return answer;
}

pid_t wait_for(Node& node, pid_t child, int* status, int options, rusage* usage) {
  const Answer answer = on_runtime_stack(
      [&] { return wait_somewhere(node, {.call = Call::kWait, .a = child, .b = options}); });
  if (answer.error == 0 && answer.result > 0) {
    Ended ended;
    std::memcpy(&ended, answer.bytes.data(), sizeof ended);
    if (status != nullptr) *status = ended.status;
    if (usage != nullptr) *usage = ended.usage;
  }
  return static_cast<pid_t>(result_of(answer));
}

}  // namespace

void perform_children() {
  perform(Call::kWait, wait_here);
  perform(Call::kWaitById, wait_here_by_id);
}

WEFT_ENTRY(pid_t, wait4, pid_t child, int* status, int options, rusage* usage) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node != nullptr) return wait_for(*node, child, status, options, usage);
  return libc::call(WEFT_REAL(wait4), child, libc::memory(status), options, libc::memory(usage));
}
WEFT_ENTRY(pid_t, wait3, int* status, int options, rusage* usage) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node != nullptr) return wait_for(*node, -1, status, options, usage);
  return libc::call(WEFT_REAL(wait3), libc::memory(status), options, libc::memory(usage));
}
WEFT_ENTRY(pid_t, waitpid, pid_t child, int* status, int options) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node != nullptr) return wait_for(*node, child, status, options, nullptr);
  return libc::call(WEFT_REAL(waitpid), child, libc::memory(status), options);
}
WEFT_ENTRY(pid_t, wait, int* status) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node != nullptr) return wait_for(*node, -1, status, 0, nullptr);
  return libc::call(WEFT_REAL(wait), libc::memory(status));
}

WEFT_ENTRY(int, waitid, idtype_t kind, id_t which, siginfo_t* info, int options) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) {
    return libc::call(WEFT_REAL(waitid), kind, which, libc::memory(info), options);
  }
  const Answer answer = on_runtime_stack([&] {
    return wait_somewhere(
        *node, {.call = Call::kWaitById, .a = kind, .b = static_cast<int>(which), .c = options});
  });
  if (answer.error == 0 && info != nullptr) {
    std::memcpy(info, answer.bytes.data(), sizeof *info);
  }
  return static_cast<int>(result_of(answer));
}

}  // namespace weft::process
