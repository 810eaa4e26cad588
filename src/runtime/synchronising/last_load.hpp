// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread's last atomic operation has loaded, and how long its next load of the same may take
// if it only waits for another value. Not for ever: its loop may look at something else, too.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "protocol/interface/effects.hpp"

namespace weft {

class LastLoad {
 public:
  // Nanoseconds. What else changes is noticed late by about as much as has been waited for it, and
  // by no more than the second of these.
  static constexpr std::int64_t kShortest = 50'000, kLongest = 10'000'000;

  // If this was loaded last, for how long the value that was found may be waited out; it then is
  // the request's operand. 0: something else was.
  [[nodiscard]] std::int64_t patience_ns(AtomicRequest& load) const {
    if (!is_same(load)) return 0;
    std::memcpy(load.operand, value_, load.size);
    return std::min(kShortest << std::min(in_vain_, 16U), kLongest);
  }
  // An operation has ended. True: it is a load that has found what the one before it had.
  bool note(const AtomicRequest& request, const AtomicResult& result) {
    const bool is_load = request.operation == AtomicOperation::kLoad;
    const bool again =
        is_load && is_same(request) && std::memcmp(value_, result.before, request.size) == 0;
    in_vain_ = again ? in_vain_ + 1 : 0;
    size_ = is_load ? request.size : 0;
    where_ = request.where;
    std::memcpy(value_, result.before, sizeof value_);
    return again;
  }

 private:
  [[nodiscard]] bool is_same(const AtomicRequest& load) const {
    return where_ == load.where && size_ == load.size;
  }

  GlobalOffset where_;
  std::uint8_t size_ = 0;  // none was loaded
  unsigned in_vain_ = 0;   // loads in a row that have found what the one before had
  std::byte value_[16] = {};
};

}  // namespace weft
