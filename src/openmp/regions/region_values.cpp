// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/regions/region_values.hpp"

#include <algorithm>

#include "base/peers/sender.hpp"
#include "openmp/libomp/call_note.hpp"

namespace weft::openmp {

std::vector<RegionValue> region_values(const Ident* loc, std::span<void* const> arguments) {
  std::vector<RegionValue> values;
  const CallNote* const note = note_of(loc);
  if (note == nullptr) return values;
  const std::size_t count = std::min<std::size_t>(note->item_count, arguments.size());
  for (std::uint32_t argument = 0; argument < count; ++argument) {
    const ReducedItem& item = note->items[argument];
    if (item.kind != ReducedItem::Kind::kBytes) continue;
    const auto* const begin = static_cast<const std::byte*>(arguments[argument]);
    values.push_back({argument, Bytes(begin, begin + item.bytes)});
  }
  return values;
}

void adopt_region_values(std::span<RegionValue> values, std::span<void*> arguments) {
  for (RegionValue& value : values) {
    if (value.argument >= arguments.size()) fail_unreadable("the values of a region");
    arguments[value.argument] = value.contents.data();
  }
}

}  // namespace weft::openmp
