// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory to which values lead that a loop is about to load (struct weft_indirection), for
// comparison with what it uses. In mapped memory, as bits.hpp.
#pragma once

#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "base/accesses/indirect.hpp"
#include "base/addresses.hpp"
#include "base/compiler_abi.h"

namespace weft::checks {

// Memory as the system reads it, which says whether it can be read; on several nodes, as Weft does.
class Readable {
 public:
  std::span<const std::byte> at(std::uintptr_t address) {
    if (__weft_spans_nodes != 0) {
      const std::uint64_t value = __weft_hint_load(reinterpret_cast<void*>(address), 8);
      std::memcpy(read_.data(), &value, sizeof value);
      return std::span(read_).first(sizeof value);
    }
    const iovec here{read_.data(), kPageBytes - address % kPageBytes};
    const iovec there{reinterpret_cast<void*>(address), here.iov_len};
    const auto size = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    return std::span(read_).first(size < 0 ? 0 : static_cast<std::size_t>(size));
  }

 private:
  std::array<std::byte, kPageBytes> read_;
};

class Targets {
 public:
  // All memory to which these values lead. False if there is no memory to note it.
  bool begin(const Strided& values, std::span<const weft_indirection> indirections) {
    count_ = 0;
    bool has_room = true;
    auto note = [&](std::uintptr_t first, std::uintptr_t end) {
      return has_room = add({first, end});
    };
    for_each_stretch(values.first, values.bytes, values.dimensions(),
                     [&](std::uintptr_t first, std::uintptr_t end) {
                       return follow_all(first, end, indirections, Readable(), note);
                     });
    std::sort(ranges_, ranges_ + count_,
              [](const Range& a, const Range& b) { return a.first < b.first; });
    join();
    return has_room;
  }
  void end() {
    if (ranges_ != nullptr) munmap(ranges_, capacity_ * sizeof(Range));
    ranges_ = nullptr;
    capacity_ = count_ = 0;
  }

  [[nodiscard]] bool cover(std::uintptr_t at, std::uint64_t bytes) const {
    const Range* next = std::upper_bound(
        ranges_, ranges_ + count_, at,
        [](std::uintptr_t value, const Range& each) { return value < each.first; });
    return next != ranges_ && at + bytes <= next[-1].end;
  }

 private:
  struct Range {
    std::uintptr_t first, end;
  };

  bool add(Range range) {
    if (count_ != 0 && ranges_[count_ - 1].end == range.first) {
      ranges_[count_ - 1].end = range.end;
      return true;
    }
    if (count_ == capacity_ && !grow()) return false;
    ranges_[count_++] = range;
    return true;
  }
  bool grow() {
    const std::size_t more = std::max<std::size_t>(2 * capacity_, 1024);
    void* mapped = ranges_ == nullptr ? mmap(nullptr, more * sizeof(Range), PROT_READ | PROT_WRITE,
                                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                      : mremap(ranges_, capacity_ * sizeof(Range),
                                               more * sizeof(Range), MREMAP_MAYMOVE);
    if (mapped == MAP_FAILED) return false;
    ranges_ = static_cast<Range*>(mapped);
    capacity_ = more;
    return true;
  }
  // Those that touch each other, as an access may use parts of both.
  void join() {
    std::size_t joined = 0;
    for (std::size_t index = 0; index < count_; ++index) {
      if (joined != 0 && ranges_[index].first <= ranges_[joined - 1].end) {
        ranges_[joined - 1].end = std::max(ranges_[joined - 1].end, ranges_[index].end);
      } else {
        ranges_[joined++] = ranges_[index];
      }
    }
    count_ = joined;
  }

  Range* ranges_ = nullptr;
  std::size_t count_ = 0, capacity_ = 0;
};

}  // namespace weft::checks
