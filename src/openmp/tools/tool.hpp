// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool of the OpenMP tools interface (OMPT) on a node. libomp starts, calls and finishes it; Weft
// stands between the two (registration.cpp):
//
//   libomp ── events of its own ──► filters.cpp ──► tool      as the whole team's: numbers, sizes,
//                                                             places in the program
//   Weft ──── events.hpp, task_events.hpp ────────► tool      what a spanning team does
//   tool ──── ompt_get_* ──► queries.cpp ──► libomp
//
// A tool in the program's own objects is one tool of the whole job: its data is shared, so a region
// is told once, by node 0, and the data that it gives to a region or a task travels with it. Any
// other tool is a tool of each node, told of the node's part of each region.
//
// Without a tool all of this is one branch on watched(). Callbacks run on the runtime stack, and
// never while their thread holds a lock of Weft's: they may touch shared memory.
#pragma once

#include <omp-tools.h>

#include <cstdint>

#include "stacks/stacks.hpp"

namespace weft {
class Node;

// By a node's main thread, when run_worker_node is through: tools that watch OpenMP finish.
void finish_tools();
}  // namespace weft

namespace weft::openmp::tools {

namespace detail {
extern bool is_watching;
}

// A tool is there. Decided while libomp starts, before the first region.
[[nodiscard]] inline bool watched() { return __builtin_expect(detail::is_watching, false); }

// Puts Weft between libomp and a tool. On every node, before libomp starts. True: there may be a
// tool of the job, to which leagues are libomp's, on node 0.
[[nodiscard]] bool prepare(Node& node);
// There may be one, of the job or of each node: libomp asks for it when it starts. After prepare().
[[nodiscard]] bool is_expected();

// libomp's own functions for tools; set if watched.
struct RealTools {
  ompt_set_callback_t set_callback = nullptr;
  ompt_get_callback_t get_callback = nullptr;
  ompt_get_state_t get_state = nullptr;
  ompt_get_task_info_t get_task_info = nullptr;
  ompt_get_task_memory_t get_task_memory = nullptr;
  ompt_get_parallel_info_t get_parallel_info = nullptr;
  ompt_get_thread_data_t get_thread_data = nullptr;
};
[[nodiscard]] const RealTools& real_tools();

// The tool is the whole job's, and this node is not the one that tells it of regions.
[[nodiscard]] bool told_by_node_0();
[[nodiscard]] bool is_of_job();

// What the tool wants to be called back for an event; null: nothing.
[[nodiscard]] ompt_callback_t registered(ompt_callbacks_t event);
void tell_held_thread();  // main_thread.hpp
// Calls it back, on the runtime stack.
template <typename Callback, typename... Arguments>
void tell(ompt_callbacks_t event, Arguments... arguments) {
  tell_held_thread();
  const auto callback = reinterpret_cast<Callback>(registered(event));
  if (callback != nullptr) on_runtime_stack([&] { callback(arguments...); });
}

// --- where the program has called the runtime ---

struct CallSite {
  const void* address = nullptr;  // the call returns there
  void* frame = nullptr;          // of the entry point
};
[[nodiscard]] const CallSite& call_site();

// Stands in each entry point that the compiled program calls, for as long as the call lasts.
class Call {
 public:
  Call(const void* address, void* frame) : is_noted_(watched()) {
    if (is_noted_) enter(address, frame);
  }
  ~Call() {
    if (is_noted_) leave();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  void enter(const void* address, void* frame);
  void leave();

  const bool is_noted_;
  CallSite outer_;
};
#define WEFT_NOTE_CALL()                                                    \
  const ::weft::openmp::tools::Call noted_call(__builtin_return_address(0), \
                                               __builtin_frame_address(0))

// While it lives, the tool is not told what libomp does on this thread.
class Silence {
 public:
  Silence();
  ~Silence();
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
};

// --- internal: between the files of this folder ---

[[nodiscard]] bool is_silent();
// The function that libomp is to call for an event; the tool's own where there is nothing to add.
[[nodiscard]] ompt_callback_t filter_of(ompt_callbacks_t event, ompt_callback_t own);
// Weft's answer to the tool's question for a function; null: libomp's will do.
[[nodiscard]] ompt_interface_fn_t query_named(const char* name);
ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback);
int get_callback(ompt_callbacks_t event, ompt_callback_t* callback);
// Unique among all nodes, and larger than all that were given, on whatever node, before what the
// calling thread's node has heard of as ids_until_now() and skipped.
[[nodiscard]] std::uint64_t unique_id();
[[nodiscard]] std::uint64_t ids_until_now();
void skip_ids(std::uint64_t until);

}  // namespace weft::openmp::tools
