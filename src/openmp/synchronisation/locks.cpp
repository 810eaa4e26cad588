// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock API. A lock in shared memory is a lock of the job, named by its address; the variable
// itself stays untouched. One in private memory (a task's own, say) can only be this node's: it is
// libomp's.
#include "openmp/libomp/real.hpp"
#include "openmp/team/implied_flush.hpp"
#include "openmp/team/synchronisation_ids.hpp"
#include "openmp/tools/events.hpp"
#include "runtime/board/board.hpp"
#include "runtime/interface/held_locks.hpp"
#include "runtime/interface/node.hpp"
#include "stacks/stacks.hpp"

namespace weft::openmp {
namespace {

HeldLocks& held_nest_locks() {
  static HeldLocks held;
  return held;
}

Ident own_ident = {.flags = 2, .text = ";weft;lock;0;0;;"};
std::int32_t gtid() { return real().__kmpc_global_thread_num(&own_ident); }

bool is_job_lock(void** variable) {
  const Node* node = this_node();
  return node != nullptr && node->is_shared(variable);
}

void init(void** variable, unsigned hint = 0) {
  if (!is_job_lock(variable)) return real().__kmpc_init_lock(&own_ident, gtid(), variable);
  tools::tell_lock_init(ompt_mutex_lock, variable, hint);
}
void destroy(void** variable) {
  if (!is_job_lock(variable)) return real().__kmpc_destroy_lock(&own_ident, gtid(), variable);
  tools::tell_lock_destroy(ompt_mutex_lock, variable);
}
void set(void** variable, const void* site) {
  const bool is_jobs = is_job_lock(variable);
  const LockId lock = lock_of(LockKind::kLock, variable);
  if (is_jobs && !tools::watched() && this_node()->take_at_once(lock, nullptr, site)) return;
  on_runtime_stack([&] {
    if (!is_jobs) {
      imply_flush();
      return real().__kmpc_set_lock(&own_ident, gtid(), variable);
    }
    tools::Locking locking(ompt_mutex_lock, variable);
    const board::Purpose purpose(board::WaitKind::kLock, lock.value(), nullptr, site);
    this_node()->acquire(lock);
    locking.got();
  });
}
void unset(void** variable) {
  const bool is_jobs = is_job_lock(variable);
  const LockId lock = lock_of(LockKind::kLock, variable);
  if (is_jobs && !tools::watched() && this_node()->give_up_at_once(lock)) return;
  on_runtime_stack([&] {
    if (!is_jobs) {
      imply_flush();
      return real().__kmpc_unset_lock(&own_ident, gtid(), variable);
    }
    this_node()->release(lock);
    tools::tell_released(ompt_mutex_lock, variable);
  });
}
int test(void** variable) {
  return on_runtime_stack([&]() -> int {
    if (!is_job_lock(variable)) return real().__kmpc_test_lock(&own_ident, gtid(), variable);
    tools::Locking locking(ompt_mutex_test_lock, variable);
    if (!this_node()->try_acquire(lock_of(LockKind::kLock, variable))) return 0;
    locking.got();
    return 1;
  });
}

void init_nest(void** variable, unsigned hint = 0) {
  if (!is_job_lock(variable)) return real().__kmpc_init_nest_lock(&own_ident, gtid(), variable);
  tools::tell_lock_init(ompt_mutex_nest_lock, variable, hint);
}
void destroy_nest(void** variable) {
  if (!is_job_lock(variable)) return real().__kmpc_destroy_nest_lock(&own_ident, gtid(), variable);
  tools::tell_lock_destroy(ompt_mutex_nest_lock, variable);
}

// Of a nest lock that the thread may have: how often it has it now; 0 if it could not get it.
template <typename Acquire>
int take_nest(ompt_mutex_t kind, void** variable, Acquire&& acquire) {
  const LockId lock = lock_of(LockKind::kNestLock, variable);
  tools::Locking locking(kind, variable);
  if (const int count = held_nest_locks().count_again(lock); count != 0) {
    tools::tell_nested(ompt_scope_begin, variable);
    return count;
  }
  if (!acquire(lock)) return 0;
  held_nest_locks().took(lock);
  locking.got();
  return 1;
}

void set_nest(void** variable, const void* site) {
  on_runtime_stack([&] {
    if (!is_job_lock(variable)) return real().__kmpc_set_nest_lock(&own_ident, gtid(), variable);
    (void)take_nest(ompt_mutex_nest_lock, variable, [site](LockId lock) {
      const board::Purpose purpose(board::WaitKind::kLock, lock.value(), nullptr, site);
      this_node()->acquire(lock);
      return true;
    });
  });
}
void unset_nest(void** variable) {
  on_runtime_stack([&] {
    if (!is_job_lock(variable)) return real().__kmpc_unset_nest_lock(&own_ident, gtid(), variable);
    const LockId lock = lock_of(LockKind::kNestLock, variable);
    const auto given_up = held_nest_locks().count_down(lock);
    if (!given_up || !given_up->is_free) return tools::tell_nested(ompt_scope_end, variable);
    this_node()->release(lock);
    tools::tell_released(ompt_mutex_nest_lock, variable);
  });
}
int test_nest(void** variable) {
  return on_runtime_stack([&]() -> int {
    if (!is_job_lock(variable)) return real().__kmpc_test_nest_lock(&own_ident, gtid(), variable);
    return take_nest(ompt_mutex_test_nest_lock, variable,
                     [](LockId lock) { return this_node()->try_acquire(lock); });
  });
}

}  // namespace
}  // namespace weft::openmp

using namespace weft::openmp;

// Each function by its C name, its Fortran name, and as libomp's own (which real omp_* call).
#define WEFT_LOCK_ENTRY(result, name, parameters, call) \
  WEFT_ENTRY result name parameters {                   \
    WEFT_NOTE_CALL();                                   \
    return call;                                        \
  }
#define WEFT_LOCK(result, operation, kind, body)                                                \
  WEFT_LOCK_ENTRY(result, omp_##operation##_##kind, (void** variable), body(variable))          \
  WEFT_LOCK_ENTRY(result, omp_##operation##_##kind##_, (void** variable), body(variable))       \
  WEFT_LOCK_ENTRY(result, __kmpc_##operation##_##kind, (Ident*, std::int32_t, void** variable), \
                  body(variable))
// Those that may wait also say where the program calls them.
#define WEFT_LOCK_SET(kind, body)                                                        \
  WEFT_LOCK_ENTRY(void, omp_set_##kind, (void** variable), body(variable, WEFT_SITE))    \
  WEFT_LOCK_ENTRY(void, omp_set_##kind##_, (void** variable), body(variable, WEFT_SITE)) \
  WEFT_LOCK_ENTRY(void, __kmpc_set_##kind, (Ident*, std::int32_t, void** variable),      \
                  body(variable, WEFT_SITE))
#define WEFT_SITE __builtin_return_address(0)
#define WEFT_HINTED_INIT(kind, body)                                                           \
  WEFT_LOCK_ENTRY(void, omp_init_##kind##_with_hint, (void** variable, std::uintptr_t hint),   \
                  body(variable, static_cast<unsigned>(hint)))                                 \
  WEFT_LOCK_ENTRY(void, omp_init_##kind##_with_hint_, (void** variable, std::uintptr_t* hint), \
                  body(variable, static_cast<unsigned>(*hint)))                                \
  WEFT_LOCK_ENTRY(void, __kmpc_init_##kind##_with_hint,                                        \
                  (Ident*, std::int32_t, void** variable, std::uintptr_t hint),                \
                  body(variable, static_cast<unsigned>(hint)))
WEFT_LOCK(void, init, lock, init)
WEFT_LOCK(void, destroy, lock, destroy)
WEFT_LOCK_SET(lock, set)
WEFT_LOCK(void, unset, lock, unset)
WEFT_LOCK(int, test, lock, test)
WEFT_HINTED_INIT(lock, init)
WEFT_LOCK(void, init, nest_lock, init_nest)
WEFT_LOCK(void, destroy, nest_lock, destroy_nest)
WEFT_LOCK_SET(nest_lock, set_nest)
WEFT_LOCK(void, unset, nest_lock, unset_nest)
WEFT_LOCK(int, test, nest_lock, test_nest)
WEFT_HINTED_INIT(nest_lock, init_nest)
