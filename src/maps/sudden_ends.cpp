// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "maps/sudden_ends.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "base/codec.hpp"
#include "libc/signals/fatal_signals.hpp"
#include "maps/file_calls.hpp"
#include "maps/start.hpp"
#include "runtime/job/job.hpp"
#include "runtime/services/delegation.hpp"

namespace weft::maps {
namespace {

enum class Asked : std::uint8_t { kWatch, kWrites };

constinit std::atomic<bool> all_watch = false;  // as far as this node knows
long own_pid = 0;                               // unlike that of a vfork's child

void before_end() {
  Node* const node = this_node();
  if (node != nullptr && ::syscall(SYS_getpid) == own_pid) finish_maps(*node, true);
}

void watch_here() {
  watch_files();
  libc::watch_fatal_signals(before_end);
}

// What is asked for by kWrites is the order of memory that comes with the answer.
Bytes perform(ByteView request) {
  if (value_of<Asked>(request) == Asked::kWatch) watch_here();
  return {};
}

void ask_others(Node& node, Asked what) {
  const Bytes request = to_bytes(what);
  for (NodeId to; to.value() < node.node_count(); ++to) {
    if (to != node.self()) (void)delegate(to, Delegated::kMaps, request);
  }
}

}  // namespace

void serve_sudden_ends() {
  own_pid = ::syscall(SYS_getpid);
  perform_delegated(Delegated::kMaps, perform);
}

void watch_for_shared_maps(Node& node) {
  if (all_watch.load()) return;
  watch_here();
  ask_others(node, Asked::kWatch);
  all_watch = true;
}

void gather_writes(Node& node) { ask_others(node, Asked::kWrites); }

}  // namespace weft::maps
