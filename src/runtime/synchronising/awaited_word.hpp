// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Since when a thread waits for a word to change that its home has shown it. Its loop may load
// other words in between.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "protocol/interface/effects.hpp"

namespace weft {

class AwaitedWord {
 public:
  // It is early for the word.
  void note_waiting(GlobalOffset where, std::int64_t now_ns) {
    if (where_ != where) *this = AwaitedWord();
    where_ = where;
    if (since_ns_ == 0) since_ns_ = now_ns;
  }
  // It has done an operation. True: that found the word changed, and the thread waited for it.
  [[nodiscard]] bool note(const AtomicRequest& request, const AtomicResult& result) {
    if (request.where != where_) return false;
    const bool is_changed =
        is_known_ && std::memcmp(value_.data(), result.before, request.size) != 0;
    std::memcpy(value_.data(), result.before, value_.size());
    is_known_ = true;
    return is_changed && since_ns_ != 0;
  }
  // It waits no longer. For how many nanoseconds it did.
  [[nodiscard]] std::int64_t end(std::int64_t now_ns) {
    return now_ns - std::exchange(since_ns_, 0);
  }

 private:
  GlobalOffset where_;
  std::int64_t since_ns_ = 0;  // 0: it does not wait
  bool is_known_ = false;
  std::array<std::byte, 16> value_ = {};
};

}  // namespace weft
