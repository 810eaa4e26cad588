// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a process becomes a node by itself. All nodes run the same program, each on its own; nothing
// of it is shared but the heap, which has the same addresses on all nodes, and the meeting place.
// Threads stay on their private stacks, and the process's own malloc, signals and files are not
// touched.
#include <sys/mman.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "base/assert.hpp"
#include "base/linking/own_calls.hpp"
#include "base/peers/sender.hpp"
#include "binding/binding.h"
#include "binding/process.hpp"
#include "libc/ownership/kept_descriptors.hpp"
#include "memory/watching/back_end.hpp"
#include "runtime/addresses/layout.hpp"
#include "runtime/board/board.hpp"
#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/bootstrap/refusal.hpp"
#include "runtime/job/assembly.hpp"
#include "runtime/job/leaving.hpp"
#include "runtime/options/options.hpp"
#include "runtime/output/output_order.hpp"
#include "runtime/services/shared_heap.hpp"

namespace weft {
namespace binding {
namespace {

// Never destroyed: threads may fault at any moment until the process is gone.
struct Parts {
  NodeOptions options;
  std::unique_ptr<Bootstrap> bootstrap;  // until the driver takes it
  std::unique_ptr<Layout> layout;
  std::unique_ptr<Region> region;
  std::unique_ptr<Driver> driver;
  std::unique_ptr<SharedHeap> heap;
  bool is_joined = false;
};
Parts* parts = nullptr;

[[noreturn]] void refuse(const std::string& sentence) {
  refuse_to_join(parts->driver ? &parts->driver->bootstrap() : parts->bootstrap.get(), sentence);
}

// The value, or the end of this node.
template <typename T>
T require(Result<T> result) {
  if (!result) refuse(result.error());
  return std::move(result.value());
}

// Nobody wraps the process's system calls. So where the kernel can wait for pages, it has to: that
// a faulting thread helps itself is faster, but fails system calls.
bool should_fault_by_signal(const NodeOptions& options) {
  if (std::getenv("WEFT_FAULTS_BY_SIGNAL") != nullptr) return options.faults_by_signal;
  const Result<BackEnd> by_descriptor = choose_back_end({.name = options.back_end});
  const bool serves_system_calls = by_descriptor.ok() &&
                                   by_descriptor.value().kind == BackEnd::Kind::kUffd &&
                                   !by_descriptor.value().uffd.user_mode_only;
  return !serves_system_calls;
}

void make_region() {
  parts->layout = std::make_unique<Layout>(
      std::vector<DataSegment>(),
      Layout::Sizes{.node_count = parts->bootstrap->node_count(),
                    .threads_per_node = parts->bootstrap->threads_per_node(),
                    .heap_bytes = parts->options.shared_size,
                    .has_stacks = false});
  parts->region = require(Region::create(parts->layout->segments(), Layout::kSpareBytes));
}

void make_driver() {
  parts->driver = require(
      assemble_driver({.options = parts->options,
                       .layout = *parts->layout,
                       .region = *parts->region,
                       .fingerprint = {"Weft's binding " + std::to_string(WEFT_BINDING_VERSION)},
                       .fail = refuse,
                       .on_peer_failure =
                           [](NodeId peer, const std::string& reason) {
                             parts->driver->on_peer_failure(peer, reason);
                           }},
                      parts->bootstrap));
  set_failure_handler(
      [](std::string_view sentence) { parts->driver->fail(std::string(sentence)); });
  set_unreadable_handler(
      [](NodeId from, std::string_view what) { parts->driver->fail_reading(from, what); });
}

bool on_fault(ProgramAddress address, bool is_write, void*) {
  if (!parts->is_joined) {
    explain_fault_in_child(reinterpret_cast<const void*>(address.value()));
    return false;
  }
  parts->driver->on_fault_here(parts->region->offset_of(address)->page(), is_write);
  return true;
}

}  // namespace

Driver* driver() { return parts != nullptr && parts->is_joined ? parts->driver.get() : nullptr; }
heap::Heap& shared_heap() { return parts->heap->heap(); }
std::byte* meeting_place() { return parts->layout->control(); }
const NodeOptions& options() { return parts->options; }

void detach_child() {
  parts->is_joined = false;
  board::leave();
}

}  // namespace binding

Node* this_node() { return binding::driver(); }

}  // namespace weft

using namespace weft;
using namespace weft::binding;

extern "C" {

int weft_binding_version() { return WEFT_BINDING_VERSION; }

int weft_binding_join() {
  bind_own_calls();
  WEFT_ASSERT(parts == nullptr, "the process has joined before");
  parts = new Parts;
  parts->bootstrap = require(Bootstrap::from_environment());
  if (!parts->bootstrap || parts->bootstrap->node_count() == 1) return 0;
  const NodeId self = parts->bootstrap->self();
  board::take(board_descriptor(), self.value());
  libc::fill_low_descriptors(parts->bootstrap->descriptor());
  parts->options = require(options_from_environment());
  restore_program_environment();
  watch_output_pipes(*parts->bootstrap);
  parts->options.faults_by_signal = should_fault_by_signal(parts->options);
  make_region();
  redirect_calls_of_ucx();
  make_driver();
  keep_faults(*parts->region, on_fault);
  parts->heap = std::make_unique<SharedHeap>(parts->layout->heap(), *parts->driver);
  parts->driver->set_before_barrier([] { parts->heap->heap().flush(); });
  serve_leaving(*parts->driver);
  parts->driver->start(Driver::Beginning::kEverywhere);
  board::note_own_threads();
  libc::keep_open_descriptors();
  parts->is_joined = true;
  prepare_forks(*parts->region);
  prepare_exit();
  board::set_state(board::NodeState::kComputing);
  return 1;
}

int weft_binding_serves_system_calls() {
  return parts->driver->memory().watcher().traits().serves_system_calls ? 1 : 0;
}

void weft_binding_keep_faults() { keep_faults(*parts->region, on_fault); }

}  // extern "C"
