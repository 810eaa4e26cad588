// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The node that this process has become, for the files of this folder.
#pragma once

#include "heap/heap.hpp"
#include "memory/watching/fault_signal.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/options/options.hpp"

namespace weft::binding {

// Null before the process has joined, and in its forked children.
[[nodiscard]] Driver* driver();
// From here on, only if there is a driver.
[[nodiscard]] heap::Heap& shared_heap();
[[nodiscard]] std::byte* meeting_place();
[[nodiscard]] const NodeOptions& options();

// The process is the child of a node: it has no shared memory and takes no part.
void detach_child();

// Faults of the region come to this function, all others to whoever had them before. Again, if
// somebody else has taken them since.
void keep_faults(const Region& region, SignalFault on_fault);
// Before UCX is used: it calls Weft's functions in place of a few of the C library's. Once.
void redirect_calls_of_ucx();
// Children that this process forks have nothing of the shared memory, and a touch there ends them
// with a sentence. Once.
void prepare_forks(const Region& region);
// What a fault of the region means in a child of fork: says so, and the child dies of it.
void explain_fault_in_child(const void* address);
// What happens when the process exits. Once.
void prepare_exit();

}  // namespace weft::binding
