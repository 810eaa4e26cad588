// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/inspecting/kept_inspections.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/numbers/mixed.hpp"
#include "runtime/inspecting/found_pages.hpp"

namespace weft {
namespace {

// Four at a time, as each multiplication takes some cycles.
std::uint64_t digest_of_bytes(std::span<const std::byte> bytes) {
  std::array<std::uint64_t, 4> lanes{1, 2, 3, 4};
  const auto add = [&](std::size_t lane, const std::byte* from, std::size_t size) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, size);
    lanes[lane] = mixed(lanes[lane] ^ word ^ lanes[lane] >> 29U);
  };
  std::size_t at = 0;
  for (; at + 32 <= bytes.size(); at += 32) {
    for (std::size_t lane = 0; lane < 4; ++lane) add(lane, bytes.data() + at + 8 * lane, 8);
  }
  for (; at < bytes.size(); at += 8)
    add(0, bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
  std::uint64_t all = bytes.size();
  for (const std::uint64_t lane : lanes) all = mixed(all ^ lane ^ all >> 29U);
  return std::max<std::uint64_t>(all, 1);
}

}  // namespace

KeptInspection::KeptInspection(Inspected inspected, IndexMemory memory)
    : pages_(std::move(inspected.pages)), index_pages_(pages_of(inspected.indices)) {
  for (const AddressRange& each : inspected.indices) {
    for (std::uintptr_t at = each.first; at < each.end;) {
      Piece piece{at, std::min(each.end, (at / kPageBytes + 1) * kPageBytes)};
      piece.digest = digest_of(piece, memory);
      pieces_.push_back(piece);
      at = piece.end;
    }
  }
}

std::uint64_t KeptInspection::digest_of(const Piece& piece, IndexMemory& memory) {
  const std::span<const std::byte> bytes = memory.at(piece.first);
  const std::size_t size = piece.end - piece.first;
  return bytes.size() < size ? 0 : digest_of_bytes(bytes.first(size));
}

bool KeptInspection::is_valid(IndexMemory memory, bool all) {
  const std::uint32_t turn = turn_.fetch_add(1, std::memory_order_relaxed);
  const std::size_t step = all ? 1 : kTurns;
  for (std::size_t index = all ? 0 : turn % kTurns; index < pieces_.size(); index += step) {
    if (pieces_[index].digest != digest_of(pieces_[index], memory)) return false;
  }
  return true;
}

std::shared_ptr<KeptInspection> KeptInspections::find(std::uint64_t call) const {
  const std::lock_guard guard(lock_);
  const Entry& entry = entries_[place_of(call)];
  return entry.call == call ? entry.inspection : nullptr;
}

void KeptInspections::keep(std::uint64_t call, std::shared_ptr<KeptInspection> inspection) {
  const std::lock_guard guard(lock_);
  entries_[place_of(call)] = {call, std::move(inspection)};
}

}  // namespace weft
