// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mremap. A map grows where it is if it lies in this node's share and the room behind it is free;
// else it moves to this node's share, by a copy.
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>

#include "maps/contents.hpp"
#include "maps/mapping.hpp"
#include "maps/shares.hpp"

namespace weft::maps {
namespace {

void* failed(int error) {
  errno = error;
  return MAP_FAILED;
}

// Where the map goes, `bytes` long; what is behind the old contents is zero.
std::optional<AddressRange> find_place(Node& node, const RemapCall& call, AddressRange old,
                                       std::size_t bytes) {
  const bool must_move = (call.flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) != 0;
  if (!must_move && extend({old.end, old.begin + bytes})) {
    return AddressRange{old.begin, old.begin + bytes};
  }
  if ((call.flags & MREMAP_MAYMOVE) == 0) return std::nullopt;
  if ((call.flags & MREMAP_FIXED) == 0) return take(bytes, kPageBytes);
  const AddressRange wanted = pages_with(call.new_address, bytes);
  if (!is_in_maps(wanted)) {
    node.fail(
        "mremap with MREMAP_FIXED: the new address is not in memory that the program has "
        "mapped; reserve the range first, with mmap and PROT_NONE");
  }
  (void)unmap(node, wanted.begin, bytes);
  claim(wanted);
  make_zero(node, wanted);
  return wanted;
}

// Moves the contents if need be. The old pages are free then, or zero.
void move_contents(Node& node, const RemapCall& call, AddressRange old, AddressRange place) {
  if (old.begin == place.begin) return;
  copy_used(node, old, place);
  if ((call.flags & MREMAP_DONTUNMAP) != 0) return make_zero(node, old);
  release(old);
}

// What the table says of the map: nothing, or one record, which must be all of it.
std::optional<MapRecord> record_of(Node& node, MapTable& table, AddressRange old) {
  const std::vector<MapRecord> parts = table.parts_in(old);
  if (parts.empty()) return std::nullopt;
  if (parts.size() > 1 || parts[0].where.bytes() != old.bytes()) {
    node.fail(
        "mremap of several maps at once, or of an object that is mapped more than once, is "
        "not possible in a job of several nodes; map it anew");
  }
  return parts[0];
}

void* remap_to(Node& node, MapTable& table, const RemapCall& call, AddressRange old,
               AddressRange place) {
  std::optional<MapRecord> record = record_of(node, table, old);
  move_contents(node, call, old, place);
  if (!record) return reinterpret_cast<void*>(place.begin);
  (void)table.cut(old);
  const std::uint64_t old_end = record->place + old.bytes();
  record->where = place;
  if (!table.add(*record)) node.fail("mremap: the program has mapped too many files at a time");
  const bool grows = place.bytes() > old.bytes() && record->file >= 0;
  const AddressRange grown{place.begin + old.bytes(), place.end};
  if (grows && !fill_from_file(grown, record->file, old_end)) return MAP_FAILED;
  return reinterpret_cast<void*>(place.begin);
}

}  // namespace

void* remap(Node& node, const RemapCall& call) {
  if (call.address % kPageBytes != 0 || call.new_bytes == 0) return failed(EINVAL);
  const AddressRange old = pages_with(call.address, call.old_bytes);
  const std::size_t bytes = pages_with(0, call.new_bytes).bytes();
  if (old.bytes() == 0) {
    node.fail(
        "mremap of 0 bytes, for a second address of the same memory, is not possible in a job "
        "of several nodes");
  }
  if (!is_in_maps(old)) return failed(EFAULT);
  if (bytes < old.bytes() && !unmap(node, old.begin + bytes, old.bytes() - bytes)) {
    return MAP_FAILED;
  }
  const AddressRange kept{old.begin, old.begin + std::min(bytes, old.bytes())};
  const bool may_stay = (call.flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) == 0;
  if (may_stay && bytes <= old.bytes()) return reinterpret_cast<void*>(old.begin);
  const auto place = find_place(node, call, kept, bytes);
  if (!place) return failed(ENOMEM);
  return with_table(node,
                    [&](MapTable& table) { return remap_to(node, table, call, kept, *place); });
}

}  // namespace weft::maps
