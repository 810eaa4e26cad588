// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of HostMemory that is about words which others load here, and about whose records this
// node knows. Who loads sees the same place before and after it has loaded the word itself, so both
// are of one moment.
#include <algorithm>
#include <cstring>

#include "memory/exposed/host_memory.hpp"
#include "memory/pages/atomic_perform.hpp"

namespace weft {
namespace {

// The words of a place. The first is odd while nothing is shown there.
enum : std::size_t { kState, kWhere, kSize, kValue, kLoads };
constexpr std::uint64_t kCurrent = 16;  // beside the size

std::uint64_t size_word(const ShownWord& word) { return word.size | (word.current ? kCurrent : 0); }

}  // namespace

HostMemory::Word* HostMemory::place_of(Word* facts, GlobalOffset where) const {
  return facts + first_place() + ShownWord::place_of(where) * kLineWords;
}

HostMemory::Word& HostMemory::known_word(Word* facts, std::size_t writer) const {
  return facts[first_place() + ShownWord::kPlaces * kLineWords + writer];
}

void HostMemory::show_word(const ShownWord& word) {
  has_shown_ = true;
  Word* const place = place_of(facts_, word.where);
  const std::uint64_t state = place[kState].load(std::memory_order_relaxed) | 1U;
  place[kState].store(state, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  std::uint64_t value = 0;
  std::memcpy(&value, word.value.data(), sizeof value);
  place[kWhere].store(word.where.bytes(), std::memory_order_relaxed);
  place[kSize].store(size_word(word), std::memory_order_relaxed);
  place[kValue].store(value, std::memory_order_relaxed);
  place[kState].store(state + 1, std::memory_order_release);
}

// Before the word is changed.
void HostMemory::hide_word(GlobalOffset where) {
  Word* const place = place_of(facts_, where);
  if (place[kWhere].load(std::memory_order_relaxed) != where.bytes()) return;
  place[kState].fetch_or(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void HostMemory::hide_words() {
  has_shown_ = false;
  for (std::uint64_t place = 0; place < ShownWord::kPlaces; ++place) {
    facts_[first_place() + place * kLineWords + kState].fetch_or(1, std::memory_order_relaxed);
  }
}

std::uint64_t HostMemory::loads_of(GlobalOffset where) const {
  return place_of(facts_, where)[kLoads].load(std::memory_order_relaxed);
}

void HostMemory::note_known(NodeId writer, IntervalNumber number) {
  known_end_ = std::max(known_end_, writer.value() + std::size_t{1});
  known_word(facts_, writer.value()).store(number.value(), std::memory_order_release);
}

void HostMemory::forget_known() {
  for (std::size_t writer = 0; writer < known_end_; ++writer) {
    known_word(facts_, writer).store(0, std::memory_order_release);
  }
  known_end_ = 0;
}

std::optional<ShownWord> HostMemory::load_word(NodeId home, GlobalOffset where, std::uint8_t size) {
  Other& other = others_[home.value()];
  Word* const place = place_of(other.facts, where);
  const std::uint64_t state = place[kState].load(std::memory_order_acquire);
  const std::uint64_t size_seen = place[kSize].load(std::memory_order_relaxed);
  const bool is_there = state % 2 == 0 && (size_seen & ~kCurrent) == size &&
                        place[kWhere].load(std::memory_order_relaxed) == where.bytes();
  std::byte* const there = is_there ? address_at(other, where) : nullptr;
  if (!there) return std::nullopt;
  ShownWord word{.where = where, .size = size, .value = {}, .current = size_seen >= kCurrent};
  const std::uint64_t value = place[kValue].load(std::memory_order_relaxed);
  std::memcpy(word.value.data(), &value, sizeof value);
  AtomicRequest load;
  load.where = where;
  load.size = size;
  const AtomicResult result = perform_atomic(load, there);
  std::atomic_thread_fence(std::memory_order_acquire);
  if (place[kState].load(std::memory_order_relaxed) != state) return std::nullopt;
  if (std::memcmp(result.before, word.value.data(), size) != 0) return std::nullopt;
  place[kLoads].fetch_add(1, std::memory_order_relaxed);
  return word;
}

bool HostMemory::knows_no_more(NodeId home, std::span<const IntervalNumber> clock) const {
  Word* const facts = others_[home.value()].facts;
  for (std::size_t writer = 0; writer < node_count_; ++writer) {
    const std::uint64_t mine = writer < clock.size() ? clock[writer].value() : 0;
    if (known_word(facts, writer).load(std::memory_order_acquire) > mine) return false;
  }
  return true;
}

}  // namespace weft
