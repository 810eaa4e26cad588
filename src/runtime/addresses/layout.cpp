// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/addresses/layout.hpp"

#include <algorithm>
#include <bit>

namespace weft {
namespace {

constexpr std::uintptr_t kHeapBegin = 0x2000'0000'0000;
constexpr std::uintptr_t kMapsBegin = 0x3000'0000'0000;
constexpr std::uintptr_t kControlBegin = 0x5000'0000'0000;
constexpr std::uintptr_t kOwnStacksBegin = 0x5800'0000'0000;
constexpr std::uintptr_t kTeamStacksBegin = 0x5900'0000'0000;
constexpr std::uintptr_t kPlacesBegin = 0x5c00'0000'0000;
constexpr std::size_t kSlotBytes = std::size_t{1} << 26;
constexpr std::size_t kTeamBytes = std::size_t{1} << 40;  // of all slots that are larger than that
constexpr std::size_t kGuardBytes = std::size_t{1} << 16;
// Below the slots of either kind, where a frame larger than a slot may end.
constexpr std::size_t kNothingBelow = std::size_t{1} << 39;
// Of a thread, where the system sets no limit: more than a program is likely to have on a stack.
constexpr std::size_t kUnlimitedBytes = std::size_t{1} << 32;

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPageBytes - 1) & ~(kPageBytes - 1); }

}  // namespace

Layout::Layout(std::vector<DataSegment> data, const Sizes& sizes)
    : data_(std::move(data)),
      sizes_(sizes),
      heap_(kHeapBegin, sizes.heap_bytes, sizes.node_count),
      maps_(kMapsBegin, sizes.maps_bytes, sizes.node_count) {
  sizes_.stack_bytes = whole_pages(std::min(sizes.stack_bytes, kUnlimitedBytes - kGuardBytes));
  slots_ = make_slots();
}

std::vector<SegmentSpec> Layout::segments() const {
  std::vector<SegmentSpec> segments;
  for (const DataSegment& data : data_) {
    segments.push_back({.name = "data",
                        .address = ProgramAddress::of(data.begin),
                        .bytes = data.bytes(),
                        .contents = SegmentSpec::Contents::kTakeOver});
  }
  const auto add_zero = [&](const char* name, std::uintptr_t address, std::size_t bytes) {
    segments.push_back({.name = name, .address = ProgramAddress(address), .bytes = bytes});
  };
  add_zero("heap", heap_.whole().begin, heap_.whole().bytes());
  if (sizes_.maps_bytes > 0) add_zero("maps", maps_.whole().begin, maps_.whole().bytes());
  add_zero("control", kControlBegin, kControlBytes);
  for (const Slots& slots : slots_) {
    if (slots.all_bytes > 0) add_zero("stacks", slots.begin, slots.all_bytes);
  }
  for (const PlaceGroup& group : place_groups()) {
    if (group.count == 0) continue;
    const unsigned stage = stage_of_place(group.first);
    for (const ThreadLocalBlock& block : sizes_.thread_locals) {
      segments.push_back({.name = "thread-local variables",
                          .address = ProgramAddress(group.begin + kPlaceBytes - block.below_top),
                          .bytes = std::size_t{sizes_.node_count} * group.count * block.bytes,
                          .piece_bytes = block.bytes,
                          .stride_bytes = kPlaceBytes,
                          .stage = stage});
    }
  }
  return segments;
}

std::uint64_t Layout::page_count() const {
  std::uint64_t bytes = kSpareBytes;
  for (const SegmentSpec& segment : segments()) bytes += segment.bytes;
  return bytes / kPageBytes;
}

std::vector<InitialHome> Layout::initial_homes() const {
  std::vector<InitialHome> homes;
  PageIndex next(0);
  const auto add = [&](std::size_t bytes, NodeId home) {
    if (bytes == 0) return;
    homes.push_back(InitialHome{PageRange{next, bytes / kPageBytes}, home});
    next = homes.back().pages.end();
  };
  const auto node = [](unsigned number) { return NodeId(static_cast<std::uint16_t>(number)); };
  for (const DataSegment& data : data_) add(data.bytes(), node(0));
  for (unsigned k = 0; k < sizes_.node_count; ++k) add(heap_.share(node(k)).bytes(), node(k));
  add(maps_.common().bytes(), node(0));
  for (unsigned k = 0; k < sizes_.node_count; ++k) add(maps_.share(node(k)).bytes(), node(k));
  add(kControlBytes, node(0));
  for (const Slots& slots : slots_) {
    for (unsigned k = 0; k < sizes_.node_count; ++k) add(slots.of_node * slots.bytes, node(k));
  }
  for (const PlaceGroup& group : place_groups()) {
    for (const ThreadLocalBlock& block : sizes_.thread_locals) {
      for (unsigned k = 0; k < sizes_.node_count; ++k) add(group.count * block.bytes, node(k));
    }
  }
  add(kSpareBytes, node(0));
  return homes;
}

unsigned Layout::slots_per_node() const {
  if (!sizes_.has_stacks) return 0;
  const unsigned spare = std::min(kSlotsOfNode, kSlotsOfJob / sizes_.node_count);
  return std::max(sizes_.threads_per_node, spare);
}

unsigned Layout::own_slots_per_node() const {
  if (!sizes_.has_stacks) return 0;
  return std::clamp(kOwnSlotsOfJob / sizes_.node_count, 1U, kOwnSlotsOfNode);
}

std::array<Layout::Slots, 2> Layout::make_slots() const {
  const std::size_t nodes = sizes_.node_count;
  const unsigned of_team = slots_per_node();
  const std::size_t most =
      std::max(std::bit_floor(kTeamBytes / (nodes * std::max(of_team, 1U))), kSlotBytes);
  const std::size_t team_bytes =
      std::clamp(std::bit_ceil(sizes_.stack_bytes + kGuardBytes), kSlotBytes, most);
  const auto slots = [&](std::uintptr_t begin, unsigned of_node, std::size_t bytes) {
    const std::size_t stack_bytes = std::min(sizes_.stack_bytes, bytes - kGuardBytes);
    return Slots{begin, of_node, bytes, stack_bytes, nodes * of_node * bytes};
  };
  return {slots(kOwnStacksBegin, own_slots_per_node(), kSlotBytes),
          slots(kTeamStacksBegin, of_team, team_bytes)};
}

Layout::Stack Layout::stack(NodeId node, unsigned thread) const {
  return in_slot(slots_[1], node, thread);
}

Layout::Stack Layout::own_stack(NodeId node, unsigned thread) const {
  return in_slot(slots_[0], node, thread);
}

Layout::Stack Layout::in_slot(const Slots& slots, NodeId node, unsigned thread) {
  const std::size_t slot = std::size_t{node.value()} * slots.of_node + thread;
  auto* begin = reinterpret_cast<std::byte*>(slots.begin + slot * slots.bytes);
  std::byte* top = begin + slots.bytes;
  return Stack{.guard = begin, .bottom = top - slots.stack_bytes, .top = top};
}

std::size_t Layout::stack_above(const void* address) const {
  const auto where = reinterpret_cast<std::uintptr_t>(address);
  for (const Slots& slots : slots_) {
    const std::size_t in_slot = (where - slots.begin) % slots.bytes;
    const bool is_guard =
        where - slots.begin < slots.all_bytes && in_slot < slots.bytes - slots.stack_bytes;
    const bool is_below_all = slots.begin - where <= kNothingBelow;
    if (is_guard || is_below_all) return slots.stack_bytes;
  }
  return 0;
}

std::array<Layout::PlaceGroup, Layout::kStages> Layout::place_groups() const {
  const unsigned places = places_per_node();
  const std::array<unsigned, kStages> ends = {std::min(sizes_.threads_per_node + 1, places),
                                              std::min(slots_per_node() + kUsualOwnThreads, places),
                                              places};
  std::array<PlaceGroup, kStages> groups;
  unsigned first = 0;
  for (std::size_t stage = 0; stage < kStages; ++stage) {
    const std::size_t before = std::size_t{sizes_.node_count} * first;
    groups[stage] = {first, ends[stage] - first, kPlacesBegin + before * kPlaceBytes};
    first = ends[stage];
  }
  return groups;
}

unsigned Layout::stage_of_place(unsigned thread) const {
  unsigned stage = 0;
  for (const PlaceGroup& group : place_groups()) {
    if (thread < group.first + group.count) break;
    ++stage;
  }
  return stage;
}

Layout::Place Layout::place(NodeId node, unsigned thread) const {
  const PlaceGroup group = place_groups()[stage_of_place(thread)];
  const std::size_t number = std::size_t{node.value()} * group.count + thread - group.first;
  auto* begin = reinterpret_cast<std::byte*>(group.begin + number * kPlaceBytes);
  return Place{.begin = begin, .top = begin + kPlaceBytes};
}

std::optional<Layout::PlaceNumber> Layout::place_of(const void* address) const {
  for (const PlaceGroup& group : place_groups()) {
    const auto number = (reinterpret_cast<std::uintptr_t>(address) - group.begin) / kPlaceBytes;
    if (number >= std::size_t{sizes_.node_count} * group.count) continue;
    return PlaceNumber{.node = NodeId(static_cast<std::uint16_t>(number / group.count)),
                       .thread = static_cast<unsigned>(number % group.count) + group.first};
  }
  return std::nullopt;
}

std::byte* Layout::control() const { return reinterpret_cast<std::byte*>(kControlBegin); }

}  // namespace weft
