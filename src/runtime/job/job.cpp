// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/job/job.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/peers/sender.hpp"
#include "base/signal_safe_mutex.hpp"
#include "base/threads/held_cancellation.hpp"
#include "libc/interposition/hooks.hpp"
#include "libc/interposition/interpose.hpp"
#include "libc/interposition/io_bounce.hpp"
#include "libc/interposition/refusal.hpp"
#include "libc/ownership/kept_descriptors.hpp"
#include "libc/signals/fatal_signals.hpp"
#include "memory/region/core_dumps.hpp"
#include "memory/watching/fault_signal.hpp"
#include "runtime/addresses/later_memory.hpp"
#include "runtime/addresses/layout.hpp"
#include "runtime/addresses/private_memory.hpp"
#include "runtime/addresses/thread_places.hpp"
#include "runtime/adoption/foreign_libraries.hpp"
#include "runtime/adoption/starting_libraries.hpp"
#include "runtime/board/board.hpp"
#include "runtime/bootstrap/bootstrap_wire.hpp"
#include "runtime/bootstrap/refusal.hpp"
#include "runtime/bootstrap/this_host.hpp"
#include "runtime/checks/library_check.hpp"
#include "runtime/checks/library_list.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/interface/call_sites.hpp"
#include "runtime/interface/rest_hook.hpp"
#include "runtime/interface/shared_memory.hpp"
#include "runtime/job/assembly.hpp"
#include "runtime/job/leaving.hpp"
#include "runtime/job/spreading.hpp"
#include "runtime/libraries/executable.hpp"
#include "runtime/libraries/program_objects.hpp"
#include "runtime/loading/loading.hpp"
#include "runtime/options/options.hpp"
#include "runtime/output/output_order.hpp"
#include "runtime/services/delegation.hpp"
#include "runtime/services/file_service.hpp"
#include "runtime/services/shared_heap.hpp"
#include "runtime/services/signal_actions.hpp"
#include "runtime/services/workers.hpp"
#include "runtime/stacks/program_stacks.hpp"
#include "runtime/stacks/signal_stack.hpp"
#include "runtime/stacks/stack_size.hpp"
#include "stacks/stacks.hpp"

namespace weft {
namespace {

// Everything that a node is made of, in the order in which it is made. Never destroyed: threads may
// fault at any moment until the process is gone.
struct NodeParts {
  NodeOptions options;
  std::unique_ptr<Bootstrap> bootstrap;  // until the driver takes it
  std::unique_ptr<Layout> layout;
  std::unique_ptr<Region> region;
  std::unique_ptr<Driver> driver;
  std::unique_ptr<SharedHeap> heap;
  libc::Hooks hooks;
  std::size_t control_used = 0;
  SignalSafeMutex own_stacks;
  std::vector<bool> own_stacks_in_use;    // of those that have been used; they have guards
  std::vector<std::string> foreign_data;  // fingerprints of what is shared of foreign libraries
  std::vector<void (*)()> before_fork;
  bool detached = false;  // this is the child of a fork, and no node
};
NodeParts* job = nullptr;

[[noreturn]] void refuse(const std::string& sentence) {
  refuse_to_join(job->driver ? &job->driver->bootstrap() : job->bootstrap.get(), sentence);
}

// The value, or the end of this node.
template <typename T>
T require(Result<T> result) {
  if (!result) refuse(result.error());
  return std::move(result.value());
}

PageRange guard_of(const Layout::Stack& stack) {
  const auto bytes = static_cast<std::size_t>(stack.bottom - stack.guard);
  const PageIndex first = job->region->offset_of(ProgramAddress::of(stack.guard))->page();
  return {first, bytes / kPageBytes};
}

// A guard below each stack of this node makes an overflow the crash that it is elsewhere. Those of
// the program's own threads get theirs when they are first used: most programs have few.
void guard_stack(const Layout::Stack& stack) {
  if (const Status guarded = job->region->guard(guard_of(stack)); !guarded) refuse(guarded.error());
}

void guard_stacks() {
  const NodeId self = job->bootstrap->self();
  for (unsigned thread = 0; thread < job->layout->slots_per_node(); ++thread) {
    guard_stack(job->layout->stack(self, thread));
  }
}

// The executable and the libraries that it is linked with; returns what data they have.
std::vector<DataSegment> take_program_objects() {
  std::vector<DataSegment> data;
  const auto take = [&](const ProgramObject& object) {
    if (!add_program_object(object)) refuse("the program is linked with too many libraries");
    if (object.data.bytes() > 0) data.push_back(object.data);
  };
  ProgramObject executable;
  const std::string refusal = find_executable(executable);
  if (!refusal.empty()) refuse(refusal);
  take(executable);
  if (const std::string complaint = complaint_about_libraries(); !complaint.empty()) {
    refuse(complaint);
  }
  for (const ProgramObject& library : objects_at_start()) take(library);
  adopt_foreign_libraries();
  for (const SharedForeignData& library : shared_foreign_data()) {
    data.push_back(library.data);
    job->foreign_data.push_back(library.fingerprint);
  }
  return data;
}

// Address space alone: programs reserve far more than they use.
std::size_t maps_bytes(std::size_t heap_bytes) {
  constexpr std::size_t kMost = std::size_t{1} << 44;
  return std::min(4 * heap_bytes, kMost);
}

void make_region() {
  std::vector<DataSegment> data = take_program_objects();
  job->layout = std::make_unique<Layout>(
      std::move(data), Layout::Sizes{.node_count = job->bootstrap->node_count(),
                                     .threads_per_node = job->bootstrap->threads_per_node(),
                                     .heap_bytes = job->options.shared_size,
                                     .maps_bytes = maps_bytes(job->options.shared_size),
                                     .stack_bytes = stack_bytes(),
                                     .thread_locals = shareable_thread_locals()});
  job->region = require(Region::create(job->layout->segments(), Layout::kSpareBytes));
  set_shared_memory(
      [](const void* pointer) { return job->region->contains(ProgramAddress::of(pointer)); });
  guard_stacks();
  open_thread_places(*job->layout, job->bootstrap->self());
}

bool on_signal_fault(ProgramAddress address, bool is_write, void*) {
  if (job->layout->is_guard(reinterpret_cast<const void*>(address.value()))) return false;
  const CancellationHeld held;  // the pages' file is no place to wait in either
  job->driver->on_fault_here(job->region->offset_of(address)->page(), is_write);
  return true;
}

void make_driver() {
  // Before UCX loads its own libraries: these are the program's.
  std::vector<std::string> fingerprint = program_fingerprint();
  fingerprint.insert(fingerprint.end(), job->foreign_data.begin(), job->foreign_data.end());
  job->driver = require(assemble_driver({.options = job->options,
                                         .layout = *job->layout,
                                         .region = *job->region,
                                         .fingerprint = std::move(fingerprint),
                                         .fail = refuse,
                                         .on_peer_failure =
                                             [](NodeId peer, const std::string& reason) {
                                               job->driver->on_peer_failure(peer, reason);
                                             }},
                                        job->bootstrap));
  if (job->options.check == "protocol") rest_hook = [] { job->driver->check_at_rest(); };
}

// The C library has written them to pages that nobody watches yet. To the engine these are pages
// that nobody has written, which are zero.
ThreadLocalContents take_thread_locals() {
  ThreadLocalContents contents;
  for (const auto& [begin, bytes] : contents.blocks()) {
    const PageIndex first = job->region->offset_of(ProgramAddress::of(begin))->page();
    const Status discarded = job->region->discard({first, bytes.size() / kPageBytes});
    if (!discarded) refuse(discarded.error());
  }
  return contents;
}

// The child of a fork has its own copy of the memory, and takes no part in the job.
void detach_child() {
  job->detached = true;
  board::leave();
  remove_fault_signals();
  const Status copied = job->region->become_private();
  if (copied) return;
  std::fprintf(stderr, "weft: a forked process cannot have a copy of the memory: %s\n",
               copied.error().c_str());
  _exit(127);
}

void set_libc_hooks() {
  const WatcherTraits& traits = job->driver->memory().watcher().traits();
  job->hooks.heap = &job->heap->heap();
  job->hooks.is_shared = [](const void* pointer) {
    return job->region->contains(ProgramAddress::of(pointer));
  };
  job->hooks.fault_action = [](int signal, struct sigaction* action) {
    *action = program_action(signal);
  };
  job->hooks.set_fault_action = [](int signal, const struct sigaction* action) {
    set_program_action(signal, *action);
  };
  job->hooks.run_handler = [](void (*f)(void*), void* argument) {
    const PollingDuty::Suspended suspended(job->driver->duty());
    const board::Working working;
    f(argument);
  };
  job->hooks.count_handlers = [](int change) { job->driver->count_outside_threads(change); };
  // The signal may have come on a program stack. A page of that which is missing could not be had
  // under the node's lock.
  job->hooks.admit_handlers = [] {
    return on_runtime_stack([] { return job->driver->admit_handlers(); });
  };
  job->hooks.share_action = [](int signal, const struct sigaction& action) {
    if (!job->driver->program_has_ended()) share_action(*job->driver, signal, action);
  };
  job->hooks.before_fork = [] {
    for (void (*const action)() : job->before_fork) action();
    job->driver->fetch_everything();
  };
  job->hooks.detach_child = detach_child;
  job->hooks.self = job->driver->self();
  job->hooks.node_count = job->driver->node_count();
  job->hooks.ask_for_file = ask_for_file;
  libc::fail_job = [](const char* sentence) { job->driver->fail(sentence); };
  libc::resolve_real_functions();
  libc::set_wrap_io(!traits.serves_system_calls);
  libc::set_hooks(&job->hooks);
}

}  // namespace

Node* this_node() { return job == nullptr || job->detached ? nullptr : job->driver.get(); }

bool begin_job() {
  Result<std::unique_ptr<Bootstrap>> bootstrap = Bootstrap::from_environment();
  job = new NodeParts;
  job->bootstrap = require(std::move(bootstrap));
  if (!job->bootstrap || job->bootstrap->node_count() == 1) return false;
  board::take(board_descriptor(), job->bootstrap->self().value());
  libc::fill_low_descriptors(job->bootstrap->descriptor());
  job->options = require(options_from_environment());
  choose_spreading(job->options, *job->bootstrap);
  if (asks_for_sites(job->options.statistics)) begin_counting_sites();
  restore_program_environment();
  watch_output_pipes(*job->bootstrap);
  make_region();
  confine_private_memory(job->bootstrap->self(), job->bootstrap->node_count());
  if (job->options.check == "libraries") list_foreign_libraries(job->bootstrap->self());
  return true;
}

void join_job() {
  const ThreadLocalContents thread_locals = take_thread_locals();
  make_driver();
  set_failure_handler([](std::string_view sentence) { job->driver->fail(std::string(sentence)); });
  set_unreadable_handler(
      [](NodeId from, std::string_view what) { job->driver->fail_reading(from, what); });
  const Status signals = install_fault_signals(*job->region, on_signal_fault);
  if (!signals) refuse(signals.error());
  ensure_signal_stack();
  job->heap = std::make_unique<SharedHeap>(job->layout->heap(), *job->driver);
  job->driver->set_before_barrier([] { job->heap->heap().flush(); });
  start_workers(*job->driver);
  serve_delegated(*job->driver);
  serve_files();
  serve_loading(*job->driver);
  serve_leaving(*job->driver);
  serve_actions(*job->driver);
  serve_private_memory(*job->driver);
  serve_later_memory(*job->driver);
  if (job->options.check == "libraries") begin_library_check(*job->driver);
  set_last_words([](const void* address, const void* code) {
    if (const char* why = explain_access(address)) job->driver->fail(why);
    const std::string overflow = explain_overflow(job->layout->stack_above(address));
    if (!overflow.empty()) job->driver->fail(overflow);
    const std::string owned = explain_private_access(*job->driver, address, code);
    if (!owned.empty()) job->driver->fail(owned);
    libc::prepare_end_by(SIGSEGV);
  });
  job->driver->start(prepare_thread_start(*job->driver));
  board::note_own_threads();
  note_thread_memory();
  set_libc_hooks();
  if (may_dump_core()) libc::watch_core_dumps([] { show_in_dumps(*job->region); });
  thread_locals.write_back();
  board::set_state(board::NodeState::kComputing);
}

bool follows_node_0() {
  return job->driver->self() != NodeId(0) && job->driver->program_has_ended();
}

void leave_job(int status, bool at_once) {
  Driver& driver = *job->driver;
  board::set_state(board::NodeState::kEnding);
  if (at_once) return driver.bootstrap().report_finished((status & 0xff) | kEndAtOnce);
  const bool follows = follows_node_0();
  const bool is_first = driver.self() == NodeId(0);
  if (is_first && job->options.check == "libraries") end_library_check(driver);
  if (is_first || follows) leave_in_order(driver);
  if (!follows) driver.send_everything();
  say_last_words(driver, job->options.statistics);
  if (!follows) driver.bootstrap().report_finished(status & 0xff);
}

void add_before_fork(void (*action)()) { job->before_fork.push_back(action); }

void set_fork_handlers(void (*run)(libc::ForkStage stage)) { job->hooks.run_fork_handlers = run; }

StackSlot main_stack_slot() {
  const Layout::Stack stack = job->layout->stack(NodeId(0), 0);
  return {stack.bottom, stack.top};
}

void take_program_stack(unsigned local_thread) {
  ensure_signal_stack();
  note_thread_memory();
  if (job->driver->self() == NodeId(0) && local_thread == 0) return;  // main's, since take-over
  const Layout::Stack stack = job->layout->stack(job->driver->self(), local_thread);
  set_program_stack(stack.bottom, stack.top);
}

namespace {
thread_local unsigned own_stack_number = 0;  // the stack's, counted from 1
}

namespace {

// The number of one that is not in use, with its guard; nothing if all are.
std::optional<unsigned> claim_own_stack() {
  const std::lock_guard lock(job->own_stacks);
  std::vector<bool>& in_use = job->own_stacks_in_use;
  const auto thread = static_cast<unsigned>(std::ranges::find(in_use, false) - in_use.begin());
  if (thread == job->layout->own_slots_per_node()) return std::nullopt;
  if (thread == in_use.size()) {
    const PageRange guard = guard_of(job->layout->own_stack(job->driver->self(), thread));
    if (const Status made = job->driver->guard(guard); !made) job->driver->fail(made.error());
    in_use.push_back(false);
  }
  in_use[thread] = true;
  return thread;
}

}  // namespace

void take_own_program_stack() {
  ensure_signal_stack();
  const std::optional<unsigned> thread = claim_own_stack();
  note_thread_memory(thread.has_value());
  if (!thread) return;
  own_stack_number = *thread + 1;
  const Layout::Stack stack = job->layout->own_stack(job->driver->self(), *thread);
  set_program_stack(stack.bottom, stack.top);
}

void give_back_own_program_stack() {
  board::leave_thread();
  set_program_stack(nullptr, nullptr);
  if (own_stack_number == 0) return;
  const std::lock_guard guard(job->own_stacks);
  job->own_stacks_in_use[std::exchange(own_stack_number, 0) - 1] = false;
}

const MapsLayout& maps_layout() { return job->layout->maps(); }

void* control_block(std::size_t bytes) {
  constexpr std::size_t kAlignment = 64;
  const std::size_t begin = job->control_used;
  job->control_used += (bytes + kAlignment - 1) & ~(kAlignment - 1);
  WEFT_ASSERT(job->control_used <= Layout::kControlBytes, "{} bytes more", bytes);
  return job->layout->control() + begin;
}

const void* initial_contents_of(const void* program_address) {
  const auto offset = job->region->offset_of(ProgramAddress::of(program_address));
  if (!offset) return program_address;
  return job->region->initial_contents(offset->page()) + offset->within_page();
}

}  // namespace weft
