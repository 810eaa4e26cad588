// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/job/spreading.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include "base/threads/held_cancellation.hpp"
#include "runtime/interface/move_counts.hpp"
#include "runtime/interface/spreading.hpp"
#include "runtime/interface/thread_spreading.hpp"
#include "runtime/libraries/loaded_objects.hpp"
#include "runtime/options/policy_names.hpp"

namespace weft {
namespace {

constexpr std::array<std::string_view, 3> kBeginRegions = {"__kmpc_fork_call", "__kmpc_fork_teams",
                                                           "GOMP_parallel"};
constexpr std::array<std::string_view, 3> kMakeThreads = {"pthread_create", "thrd_create",
                                                          "_ZNSt6thread15_M_start_thread"};
constexpr std::array<std::string_view, 2> kPlaceThreads = {"weft_thread_on", "weft_migrate"};
constexpr std::array<std::string_view, 1> kMoveThreads = {"weft_migrate"};
constexpr std::array<std::string_view, 1> kCancelThreads = {"pthread_cancel"};

constexpr std::array<std::string_view, 5> kDisturbSleep = {
    "pthread_cancel", "pthread_kill", "pthread_sigqueue", "tgkill", "sigqueue"};

constexpr std::array<std::string_view, 3> kUseNodes = {"weft_register", "weft_fifo_open",
                                                       "weft_signals_open"};
constexpr std::array<std::string_view, 1> kAskForNode = {"weft_node"};

// A thread of these means its present node: it takes the process's signals, holds a stream of the
// node's, is cancelled wherever it waits, or has a clock that others read.
constexpr std::array<std::string_view, 9> kTieThreads = {
    "pthread_cancel", "sigwait",      "sigwaitinfo", "sigtimedwait",         "signalfd",
    "flockfile",      "ftrylockfile", "sigsuspend",  "pthread_getcpuclockid"};

// Compilers' names begin so, and go on with a variant's or with types; Weft's own are whole.
bool is_one_of(std::string_view function, std::span<const std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) {
    return name.starts_with("weft_") ? function == name : function.starts_with(name);
  });
}

// Whether the executable, or a library that weftcc linked, calls one of these functions.
bool program_calls(std::span<const std::string_view> functions) {
  return std::ranges::any_of(loaded_objects(), [&](const LoadedObject& object) {
    if (!object.path.empty() && !object.is_linked_by_weftcc) return false;
    return std::ranges::any_of(imported_functions(object), [&](const ImportedFunction& import) {
      return is_one_of(import.name, functions);
    });
  });
}

// Node 0 has all processors of the job, and nothing is gained elsewhere. Such a program is as one
// that was started without Weft, as its parallel regions would be (openmp/placement).
bool is_best_on_node_0(const NodeOptions& options, const Bootstrap& bootstrap) {
  return bootstrap.is_on_one_host() && options.memory == 0 && !options.balance &&
         spread_policy == SpreadPolicy::kAuto && !program_speaks_of_nodes &&
         named(kThreadPolicies, options.threads_on) != ThreadPolicy::kAll;
}

bool may_start_anywhere(ThreadPolicy policy, bool begins_regions) {
  if (policy != ThreadPolicy::kAuto) return policy == ThreadPolicy::kAll;
  if (program_calls(kPlaceThreads)) return true;
  return program_calls(kMakeThreads) && !begins_regions && !program_stays_on_node_0;
}

// What the program calls that ties its threads to their nodes; empty: nothing.
std::string_view tie() {
  if (!program_calls(kTieThreads)) return {};
  const auto is_called = [](std::string_view name) { return program_calls({&name, 1}); };
  return *std::ranges::find_if(kTieThreads, is_called);
}

// A warning, as the user has asked for it, and the program is right without it.
bool may_balance(NodeId self) {
  if (!program_calls(kMakeThreads)) return false;
  const std::string_view found = tie();
  if (found.empty()) return true;
  if (self == NodeId(0)) {
    std::fprintf(stderr,
                 "weft: --balance moves no threads, as the program calls %s: see weft-run(1)\n",
                 std::string(found).c_str());
  }
  return false;
}

// Where the program's threads start on all nodes since Weft has chosen so, it may choose again.
bool may_choose_again(const NodeOptions& options) {
  return threads_start_anywhere && !threads_are_balanced &&
         spread_policy != SpreadPolicy::kAlways &&
         named(kThreadPolicies, options.threads_on) == ThreadPolicy::kAuto;
}

std::string reason_to_stay(bool uses_nodes, std::string_view called) {
  if (uses_nodes)
    return "threads stay on their nodes, as the program speaks of nodes (weft_thread_on, "
           "weft_register)";
  return "threads stay where they begin, as the program calls " + std::string(called);
}

}  // namespace

void choose_spreading(const NodeOptions& options, const Bootstrap& bootstrap) {
  spread_policy = named(kSpreadPolicies, options.spread);
  // Such a program has its reasons, and needs threads on each node.
  const bool uses_nodes = program_calls(kPlaceThreads) || program_calls(kUseNodes);
  program_speaks_of_nodes = uses_nodes || program_calls(kAskForNode);
  const bool begins_regions = program_calls(kBeginRegions);
  program_stays_on_node_0 = is_best_on_node_0(options, bootstrap) && !begins_regions;
  const bool start_anywhere =
      may_start_anywhere(named(kThreadPolicies, options.threads_on), begins_regions);
  threads_are_balanced = options.balance && may_balance(bootstrap.self());
  // Threads that come need a node that never rests, as those do that start there.
  threads_start_anywhere = start_anywhere || threads_are_balanced;
  threads_start_with_maker = !start_anywhere;
  program_cancels = program_calls(kCancelThreads);
  const bool may_choose = may_choose_again(options);
  threads_are_gathered = may_choose && !uses_nodes;
  const std::string_view tied_by = threads_are_gathered ? tie() : std::string_view();
  if (may_choose && (uses_nodes || !tied_by.empty()))  // as long as the process lives
    why_threads_stay = *new std::string(reason_to_stay(uses_nodes, tied_by));
  sleep_ends_by_wakes = !program_calls(kDisturbSleep);
  threads_may_move = threads_are_balanced || (threads_are_gathered && tied_by.empty()) ||
                     (threads_start_anywhere && program_calls(kMoveThreads));
}

Driver::Beginning prepare_thread_start(Driver& driver) {
  if (!threads_start_anywhere) return Driver::Beginning::kAtNodeZero;
  driver.count_outside_threads(1);
  return Driver::Beginning::kEverywhere;
}

}  // namespace weft
