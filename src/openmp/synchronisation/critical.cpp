// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Critical regions: a lock of the job for each name. The name's variable is in the program's data,
// at one address on all nodes; it stays untouched. Threads outside the spanning team take the same
// locks, as the name is the whole program's.
#include "openmp/libomp/real.hpp"
#include "openmp/team/synchronisation_ids.hpp"
#include "openmp/tools/events.hpp"
#include "runtime/board/board.hpp"
#include "runtime/interface/node.hpp"
#include "stacks/stacks.hpp"

using namespace weft;
using namespace weft::openmp;

WEFT_ENTRY void __kmpc_atomic_start(void);

namespace {

// `place`: text of the source position, or null; `site`: where the program calls.
void enter(Node& node, ompt_mutex_t kind, const void* mutex, LockId lock, unsigned hint,
           const char* place, const void* site) {
  if (!tools::watched() && node.take_at_once(lock, place, site)) return;
  on_runtime_stack([&] {
    const board::Purpose purpose(board::WaitKind::kLock, lock.value(), place, site);
    tools::Locking locking(kind, mutex, hint);
    node.acquire(lock);
    locking.got();
  });
}

void leave(Node& node, ompt_mutex_t kind, const void* mutex, LockId lock) {
  if (!tools::watched() && node.give_up_at_once(lock)) return;
  on_runtime_stack([&] {
    node.release(lock);
    tools::tell_released(kind, mutex);
  });
}

// What tools know the lock behind atomic operations by.
const void* atomic_mutex() { return reinterpret_cast<const void*>(&__kmpc_atomic_start); }

}  // namespace

WEFT_ENTRY void __kmpc_critical(Ident* loc, std::int32_t gtid, void* name) {
  WEFT_NOTE_CALL();
  Node* node = this_node();
  if (node == nullptr) return real().__kmpc_critical(loc, gtid, name);
  enter(*node, ompt_mutex_critical, name, lock_of(LockKind::kCritical, name), 0, text_of(loc),
        __builtin_return_address(0));
}

// The hint says how contended the lock is, and may be ignored.
WEFT_ENTRY void __kmpc_critical_with_hint(Ident* loc, std::int32_t gtid, void* name,
                                          std::uint32_t hint) {
  WEFT_NOTE_CALL();
  Node* node = this_node();
  if (node == nullptr) return real().__kmpc_critical_with_hint(loc, gtid, name, hint);
  enter(*node, ompt_mutex_critical, name, lock_of(LockKind::kCritical, name), hint, text_of(loc),
        __builtin_return_address(0));
}

WEFT_ENTRY void __kmpc_end_critical(Ident* loc, std::int32_t gtid, void* name) {
  WEFT_NOTE_CALL();
  Node* node = this_node();
  if (node == nullptr) return real().__kmpc_end_critical(loc, gtid, name);
  leave(*node, ompt_mutex_critical, name, lock_of(LockKind::kCritical, name));
}

// The lock behind atomic operations that the processor has not.
WEFT_ENTRY void __kmpc_atomic_start(void) {
  WEFT_NOTE_CALL();
  Node* node = this_node();
  if (node == nullptr) return real().__kmpc_atomic_start();
  enter(*node, ompt_mutex_atomic, atomic_mutex(), lock_of(OwnLock::kOldAtomics), 0, nullptr,
        __builtin_return_address(0));
}

WEFT_ENTRY void __kmpc_atomic_end(void) {
  WEFT_NOTE_CALL();
  Node* node = this_node();
  if (node == nullptr) return real().__kmpc_atomic_end();
  leave(*node, ompt_mutex_atomic, atomic_mutex(), lock_of(OwnLock::kOldAtomics));
}
