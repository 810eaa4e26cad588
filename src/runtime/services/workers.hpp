// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of Weft's own for what a handler of messages must leave to others, because it takes time
// or waits: a handler runs under the node's lock.
//
// It must not start a thread either. The C library's pthread_create takes the dynamic linker's
// locks; a thread of the program that has one of these may wait for a page (it has just touched its
// memory in dlsym, or in the registration of a thread's destructor), and pages come under the
// node's lock. So one thread is always idle, and who takes a task starts the next one first.
#pragma once

#include <functional>

#include "runtime/interface/node.hpp"

namespace weft {

// Starts the first one. Once, before the node serves others.
void start_workers(Node& node);

// Has the task run on a worker, soon: as many run at once as there are. The program's signals are
// blocked there, and it has a signal stack, as the task may touch the region. From any thread, also
// under the node's lock; does not block. If the system allows no more threads, the job fails.
void run_on_worker(std::function<void()> task);

}  // namespace weft
