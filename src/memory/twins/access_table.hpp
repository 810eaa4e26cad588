// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this node knows of each page of the region, in one word a page: the program's access, and
// where the twin is. Words of pages never used take no memory.
#pragma once

#include <cstdint>

#include "base/page_range.hpp"
#include "memory/region/reserved_memory.hpp"
#include "memory/twins/twin_pool.hpp"

namespace weft {

enum class Access : std::uint8_t { kAbsent, kTracked, kUntracked };

enum class TwinKind : std::uint8_t {
  kNone,
  kInitial,  // the initial contents; takes no memory
  kHeld,     // a copy in a slot of the pool
  kSame,     // what the page holds now: nobody has written it since. Where its first write traps
  kUnlike,   // the page is being overwritten: it differs everywhere
};

class AccessWord {
 public:
  [[nodiscard]] Access access() const {
    return is_closed() ? Access::kUntracked : static_cast<Access>(word_ & kAccess);
  }
  // Untracked, and the kernel has not opened it yet: its first write is a fault, if a short one.
  [[nodiscard]] bool is_closed() const { return (word_ & kAccess) == kClosed; }
  [[nodiscard]] TwinKind twin() const { return static_cast<TwinKind>(word_ >> 2 & 7); }
  // Somebody may have written the page since it agreed with its twin.
  [[nodiscard]] bool may_differ() const { return (word_ & kMayDiffer) != 0; }
  [[nodiscard]] TwinPool::Slot slot() const { return word_ >> 6; }  // kHeld alone

  void set_access(Access access) {
    word_ = (word_ & ~kAccess) | static_cast<std::uint32_t>(access);
  }
  void set_closed() { word_ |= kClosed; }
  void set_twin(TwinKind twin, TwinPool::Slot slot = 0) {
    word_ = (word_ & (kAccess | kMayDiffer)) | static_cast<std::uint32_t>(twin) << 2 | slot << 6;
  }
  void set_may_differ(bool may) { word_ = (word_ & ~kMayDiffer) | (may ? kMayDiffer : 0); }

 private:
  static constexpr std::uint32_t kAccess = 3;
  static constexpr std::uint32_t kClosed = 3;
  static constexpr std::uint32_t kMayDiffer = 1U << 5;

  std::uint32_t word_ = 0;  // absent, no twin
};

class AccessTable {
 public:
  [[nodiscard]] static Result<AccessTable> create(std::uint64_t page_count) {
    auto words = ReservedMemory::create(page_count * sizeof(AccessWord));
    if (!words.ok()) return Failure{words.error()};
    return AccessTable(std::move(words.value()), page_count);
  }

  [[nodiscard]] AccessWord& operator[](PageIndex page) { return words()[page.value()]; }
  [[nodiscard]] const AccessWord& operator[](PageIndex page) const { return words()[page.value()]; }
  [[nodiscard]] std::uint64_t page_count() const { return page_count_; }

  // Calls visit(run, access) for each longest run of pages with the same access.
  template <typename Visit>
  void for_each_run(PageRange pages, Visit visit) const {
    for (PageIndex at = pages.first; at < pages.end();) {
      const Access access = (*this)[at].access();
      PageIndex end = at.plus(1);
      while (end.value() + kBlock <= pages.end().value() && block_has(end, access)) {
        end = end.plus(kBlock);
      }
      while (end < pages.end() && (*this)[end].access() == access) ++end;
      visit(PageRange{at, end.value() - at.value()}, access);
      at = end;
    }
  }

 private:
  static constexpr std::uint64_t kBlock = 64;

  // Whether all of these pages have this access. Without an early end, so that it takes a few
  // vector instructions: regions of gigabytes are searched in each interval.
  [[nodiscard]] bool block_has(PageIndex first, Access access) const {
    const AccessWord* const block = words() + first.value();
    unsigned others = 0;
    for (std::uint64_t i = 0; i < kBlock; ++i) others |= block[i].access() != access;
    return others == 0;
  }
  AccessTable(ReservedMemory memory, std::uint64_t page_count)
      : memory_(std::move(memory)), page_count_(page_count) {}
  [[nodiscard]] AccessWord* words() const { return reinterpret_cast<AccessWord*>(memory_.begin()); }

  ReservedMemory memory_;
  std::uint64_t page_count_;
};

}  // namespace weft
