// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/moving/occasion.hpp"

#include "libc/interposition/hooks.hpp"
#include "libc/ownership/private_results.hpp"
#include "pthread/load/private_locks.hpp"
#include "pthread/threads/carriers.hpp"
#include "runtime/board/board.hpp"
#include "stacks/stacks.hpp"

namespace weft::pthread {
namespace {

bool holds_locks() {
  return private_locks > 0 || board::this_thread().held_count.load(board::kRelaxed) > 0;
}

}  // namespace

bool may_be_moved_now() {
  return own_carrier() != nullptr && is_on_own_program_stack() && !libc::in_forked_child &&
         !libc::has_private_results && !holds_locks();
}

}  // namespace weft::pthread
