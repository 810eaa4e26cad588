// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals with a value, to a process of this host or, through `node`, to the job's.
#pragma once

#include <signal.h>

#include "runtime/interface/node.hpp"

namespace weft::process {

// `code` says why it comes: SI_QUEUE, SI_ASYNCIO. `node`: where the process is the job's and this
// is not node 0, who does it then; else null. As sigqueue, with errno.
int queue_signal(Node* node, pid_t process, int signal, sigval value, int code);

}  // namespace weft::process
