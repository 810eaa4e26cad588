// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock API. A lock in shared memory is a lock of the job, named by its address; the variable
// itself stays untouched. One in private memory (a task's own, say) can only be this node's: it is
// libomp's.
#include "openmp/real.hpp"
#include "openmp/synchronisation_ids.hpp"
#include "runtime/held_locks.hpp"
#include "runtime/node.hpp"
#include "runtime/stacks.hpp"

namespace weft::openmp {
namespace {

HeldLocks& held_nest_locks() {
  static HeldLocks held;
  return held;
}

Ident own_ident = {0, 2, 0, 0, ";weft;lock;0;0;;"};
std::int32_t gtid() { return real().__kmpc_global_thread_num(&own_ident); }

bool is_job_lock(void** variable) {
  const Node* node = this_node();
  return node != nullptr && node->is_shared(variable);
}

void init(void** variable) {
  if (!is_job_lock(variable)) real().__kmpc_init_lock(&own_ident, gtid(), variable);
}
void destroy(void** variable) {
  if (!is_job_lock(variable)) real().__kmpc_destroy_lock(&own_ident, gtid(), variable);
}
void set(void** variable) {
  on_runtime_stack([&] {
    if (!is_job_lock(variable)) return real().__kmpc_set_lock(&own_ident, gtid(), variable);
    this_node()->acquire(lock_of(LockKind::kLock, variable));
  });
}
void unset(void** variable) {
  on_runtime_stack([&] {
    if (!is_job_lock(variable)) return real().__kmpc_unset_lock(&own_ident, gtid(), variable);
    this_node()->release(lock_of(LockKind::kLock, variable));
  });
}
int test(void** variable) {
  return on_runtime_stack([&]() -> int {
    if (!is_job_lock(variable)) return real().__kmpc_test_lock(&own_ident, gtid(), variable);
    return this_node()->try_acquire(lock_of(LockKind::kLock, variable)) ? 1 : 0;
  });
}

void init_nest(void** variable) {
  if (!is_job_lock(variable)) real().__kmpc_init_nest_lock(&own_ident, gtid(), variable);
}
void destroy_nest(void** variable) {
  if (!is_job_lock(variable)) real().__kmpc_destroy_nest_lock(&own_ident, gtid(), variable);
}
void set_nest(void** variable) {
  on_runtime_stack([&] {
    if (!is_job_lock(variable)) return real().__kmpc_set_nest_lock(&own_ident, gtid(), variable);
    const LockId lock = lock_of(LockKind::kNestLock, variable);
    if (held_nest_locks().count_again(lock) != 0) return;
    this_node()->acquire(lock);
    held_nest_locks().took(lock);
  });
}
void unset_nest(void** variable) {
  on_runtime_stack([&] {
    if (!is_job_lock(variable)) return real().__kmpc_unset_nest_lock(&own_ident, gtid(), variable);
    const LockId lock = lock_of(LockKind::kNestLock, variable);
    if (held_nest_locks().count_down(lock)) this_node()->release(lock);
  });
}
int test_nest(void** variable) {
  return on_runtime_stack([&]() -> int {
    if (!is_job_lock(variable)) return real().__kmpc_test_nest_lock(&own_ident, gtid(), variable);
    const LockId lock = lock_of(LockKind::kNestLock, variable);
    if (const int count = held_nest_locks().count_again(lock); count != 0) return count;
    if (!this_node()->try_acquire(lock)) return 0;
    held_nest_locks().took(lock);
    return 1;
  });
}

}  // namespace
}  // namespace weft::openmp

using namespace weft::openmp;

// Each function by its C name, its Fortran name, and as libomp's own (which real omp_* call).
#define WEFT_LOCK(result, operation, kind, body)                                                \
  WEFT_ENTRY result omp_##operation##_##kind(void** variable) { return body(variable); }        \
  WEFT_ENTRY result omp_##operation##_##kind##_(void** variable) { return body(variable); }     \
  WEFT_ENTRY result __kmpc_##operation##_##kind(Ident* loc, std::int32_t id, void** variable) { \
    return body(variable);                                                                      \
  }
#define WEFT_HINTED_INIT(kind, body)                                                               \
  WEFT_ENTRY void omp_init_##kind##_with_hint(void** variable, std::uintptr_t) { body(variable); } \
  WEFT_ENTRY void omp_init_##kind##_with_hint_(void** variable, std::uintptr_t*) {                 \
    body(variable);                                                                                \
  }                                                                                                \
  WEFT_ENTRY void __kmpc_init_##kind##_with_hint(Ident* loc, std::int32_t id, void** variable,     \
                                                 std::uintptr_t) {                                 \
    body(variable);                                                                                \
  }
WEFT_LOCK(void, init, lock, init)
WEFT_LOCK(void, destroy, lock, destroy)
WEFT_LOCK(void, set, lock, set)
WEFT_LOCK(void, unset, lock, unset)
WEFT_LOCK(int, test, lock, test)
WEFT_HINTED_INIT(lock, init)
WEFT_LOCK(void, init, nest_lock, init_nest)
WEFT_LOCK(void, destroy, nest_lock, destroy_nest)
WEFT_LOCK(void, set, nest_lock, set_nest)
WEFT_LOCK(void, unset, nest_lock, unset_nest)
WEFT_LOCK(int, test, nest_lock, test_nest)
WEFT_HINTED_INIT(nest_lock, init_nest)
