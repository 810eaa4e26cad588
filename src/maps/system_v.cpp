// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// shmat and shmdt of the program: within the job, a segment is a map of an object like any other
// (map_table.hpp). The kernel's segment gives the first contents, and gets the last ones: from the
// last shmdt, or the job's end. The node that attached it first keeps it attached for itself, so
// that it lives on after IPC_RMID, as it does in one process.
#include <sys/mman.h>
#include <sys/shm.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "libc/interposition/hooks.hpp"
#include "libc/interposition/interpose.hpp"
#include "maps/contents.hpp"
#include "maps/mapping.hpp"
#include "maps/shares.hpp"
#include "maps/sudden_ends.hpp"
#include "runtime/job/job.hpp"
#include "stacks/stacks.hpp"

namespace weft::maps {
namespace {

void* const kFailed = reinterpret_cast<void*>(-1);

// Attachments that keep segments alive. Guarded by OwnLock::kMaps.
std::map<int, void*>& kept() {
  static auto* const attachments = new std::map<int, void*>;
  return *attachments;
}

bool keep_alive(int id) {
  void* const attached = WEFT_REAL(shmat)(id, nullptr, 0);
  const bool may_write = attached != kFailed;
  void* const held = may_write ? attached : WEFT_REAL(shmat)(id, nullptr, SHM_RDONLY);
  if (held == kFailed) return false;
  kept()[id] = held;
  return true;
}

void let_go(int id) {
  const auto held = kept().find(id);
  if (held == kept().end()) return;
  (void)WEFT_REAL(shmdt)(held->second);
  kept().erase(held);
}

void* attach(Node& node, MapTable& table, int id, int flags) {
  shmid_ds status = {};
  if (WEFT_REAL(shmctl)(id, IPC_STAT, &status) != 0) return kFailed;
  const std::size_t bytes = pages_with(0, status.shm_segsz).bytes();
  const auto inode = static_cast<std::uint64_t>(id);
  const MapTable::Found found = table.find(MapKind::kSystemV, 0, inode, 0, bytes);
  std::optional<AddressRange> range;
  if (found.address) {
    range = {*found.address, *found.address + bytes};
  } else if (!keep_alive(id)) {
    return kFailed;
  } else if (range = take(bytes, kPageBytes); !range || !fill_from_segment(*range, id)) {
    errno = ENOMEM;
    return kFailed;
  }
  const MapRecord record{.where = *range,
                         .inode = inode,
                         .kind = MapKind::kSystemV,
                         .may_write = (flags & SHM_RDONLY) == 0};
  if (!table.add(record)) node.fail("shmat: the program has mapped too many objects at a time");
  return reinterpret_cast<void*>(range->begin);
}

bool detach(Node& node, const void* address) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  std::optional<MapRecord> attached;
  const std::vector<AddressRange> free = with_table(node, [&](MapTable& table) {
    for (const MapRecord& record : table.all()) {
      if (record.kind == MapKind::kSystemV && record.where.begin == begin) attached = record;
    }
    if (!attached) return std::vector<AddressRange>();
    (void)write_back(*attached);
    std::vector<AddressRange> left = table.cut(attached->where).free;
    if (!left.empty()) let_go(static_cast<int>(attached->inode));
    return left;
  });
  for (const AddressRange& range : free) release(range);
  if (!attached) errno = EINVAL;
  return attached.has_value();
}

}  // namespace
}  // namespace weft::maps

using namespace weft;
using namespace weft::maps;

WEFT_EXPORT void* __wrap_shmat(int id, const void* address, int flags) {
  Node* const node = this_node();
  if (node == nullptr) {
    warn_of_sharing_in_child("shmat");
    return WEFT_REAL(shmat)(id, address, flags);
  }
  return on_runtime_stack([&] {
    if ((flags & (SHM_EXEC | SHM_REMAP)) != 0 || address != nullptr) {
      node->fail(
          "shmat at an address of the program's choice, or with SHM_EXEC, is not possible in "
          "a job of several nodes; pass a null pointer");
    }
    watch_for_shared_maps(*node);
    return with_table(*node, [&](MapTable& table) { return attach(*node, table, id, flags); });
  });
}

WEFT_EXPORT int __wrap_shmdt(const void* address) {
  Node* const node = this_node();
  if (node == nullptr || !node->is_shared(address)) return WEFT_REAL(shmdt)(address);
  return on_runtime_stack([&] { return detach(*node, address) ? 0 : -1; });
}
