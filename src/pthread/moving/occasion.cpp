// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/moving/occasion.hpp"

#include "libc/interposition/hooks.hpp"
#include "pthread/load/private_locks.hpp"
#include "pthread/threads/carriers.hpp"
#include "pthread/threads/processors.hpp"
#include "runtime/board/board.hpp"
#include "runtime/interface/job_processors.hpp"
#include "stacks/stacks.hpp"

namespace weft::pthread {
namespace {

bool holds_locks() {
  return private_locks > 0 || board::this_thread().held_count.load(board::kRelaxed) > 0;
}

}  // namespace

bool may_be_moved_now() {
  return own_carrier() != nullptr && is_on_program_stack() && !libc::in_forked_child &&
         !holds_locks();
}

bool is_bound_by_program() {
  const cpu_set_t own = processors_of(0), of_node = set_of(processors_of_node().set),
                  of_job = processors_of_job_here();
  return CPU_EQUAL(&own, &of_node) == 0 && CPU_EQUAL(&own, &of_job) == 0;
}

}  // namespace weft::pthread
