// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Critical regions: a lock of the job for each name. The name's variable is in the program's data,
// at one address on all nodes; it stays untouched. Threads outside the spanning team take the same
// locks, as the name is the whole program's.
#include "openmp/real.hpp"
#include "openmp/synchronisation_ids.hpp"
#include "runtime/node.hpp"
#include "runtime/stacks.hpp"

using namespace weft;
using namespace weft::openmp;

WEFT_ENTRY void __kmpc_critical(Ident* loc, std::int32_t gtid, void* name) {
  Node* node = this_node();
  if (node == nullptr) return real().__kmpc_critical(loc, gtid, name);
  on_runtime_stack([&] { node->acquire(lock_of(LockKind::kCritical, name)); });
}

// The hint says how contended the lock is, and may be ignored.
WEFT_ENTRY void __kmpc_critical_with_hint(Ident* loc, std::int32_t gtid, void* name,
                                          std::uint32_t hint) {
  if (this_node() == nullptr) return real().__kmpc_critical_with_hint(loc, gtid, name, hint);
  __kmpc_critical(loc, gtid, name);
}

WEFT_ENTRY void __kmpc_end_critical(Ident* loc, std::int32_t gtid, void* name) {
  Node* node = this_node();
  if (node == nullptr) return real().__kmpc_end_critical(loc, gtid, name);
  on_runtime_stack([&] { node->release(lock_of(LockKind::kCritical, name)); });
}

// The lock behind atomic operations that the processor has not.
WEFT_ENTRY void __kmpc_atomic_start(void) {
  Node* node = this_node();
  if (node == nullptr) return real().__kmpc_atomic_start();
  on_runtime_stack([&] { node->acquire(kAtomicLock); });
}

WEFT_ENTRY void __kmpc_atomic_end(void) {
  Node* node = this_node();
  if (node == nullptr) return real().__kmpc_atomic_end();
  on_runtime_stack([&] { node->release(kAtomicLock); });
}
