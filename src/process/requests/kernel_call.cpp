// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/requests/kernel_call.hpp"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <string>

#include "libc/interposition/process_elsewhere.hpp"
#include "process/requests/refusal.hpp"
#include "process/requests/topics.hpp"
#include "stacks/stacks.hpp"

namespace weft::process {
namespace {

Answer make_here(const Request& request) {
  auto sent = value_of<SentKernelCall>(request.bytes);
  long arguments[] = {sent.a, sent.b, sent.c};
  if (sent.place >= std::ssize(arguments)) fail_unreadable("a system call", request.bytes.size());
  if (sent.place >= 0) arguments[sent.place] = reinterpret_cast<long>(sent.memory.data());
  Answer answer = answer_of(::syscall(sent.number, arguments[0], arguments[1], arguments[2]));
  answer.bytes = std::move(sent.memory);
  return answer;
}

bool may_be_elsewhere(const Node& node) {
  return !node.is_on_one_host() && node.self() != NodeId(0);
}

void refuse_for_program(const char* call) {
  if (is_on_program_stack()) refuse_elsewhere(nullptr, present_job_pid(), call);
}

}  // namespace

long made_by(Node& node, NodeId whom, const KernelCall& call) {
  const auto* const memory = static_cast<const std::byte*>(call.memory);
  return on_runtime_stack([&] {
    SentKernelCall sent = {.number = call.number,
                           .a = call.arguments[0],
                           .b = call.arguments[1],
                           .c = call.arguments[2],
                           .place = call.place,
                           .memory = {}};
    if (call.place >= 0) sent.memory.assign(memory, memory + call.bytes);
    const Bytes message = to_bytes(sent);
    const Answer answer = ask_node(node, whom, {.call = Call::kKernelCall, .bytes = message});
    // Memory that is only read may be constant.
    if (call.place >= 0 && answer.bytes != sent.memory) {
      std::memcpy(call.memory, answer.bytes.data(), call.bytes);
    }
    return static_cast<long>(result_of(answer));
  });
}

Node* asks_for_process(const void* caller, long process) {
  if (process != present_job_pid()) return nullptr;
  Node* const node = job_of_caller(caller);
  return node != nullptr && is_process_of_node() && may_be_elsewhere(*node) ? node : nullptr;
}

void refuse_elsewhere(const void* caller, long process, const char* call) {
  Node* const node = asks_for_process(caller, process);
  if (node == nullptr) return;
  const std::string sentence = on_runtime_stack(
      [&] { return fmt::format("{}, by a thread on another host than node 0's", call); });
  refuse(*node, sentence.c_str());
}

void perform_kernel_calls() { perform(Call::kKernelCall, make_here); }

void adopt_process_elsewhere() {
  static constinit libc::ProcessElsewhere elsewhere;
  if (!may_be_elsewhere(*this_node())) return;
  elsewhere = {.number = present_job_pid(), .refuse = refuse_for_program};
  libc::process_elsewhere.store(&elsewhere, std::memory_order_release);
}

}  // namespace weft::process
