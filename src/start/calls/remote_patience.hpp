// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first moment of a wait: the thread looks again and again, and does nothing else. Then it
// drives its node, or sleeps (__weft_remote_await).
#pragma once

namespace weft::remote {

// Some microseconds: a neighbour on another processor answers in less than one.
inline constexpr int kFirstLooks = 60;

// Whether that is so by then.
template <typename Look>
[[nodiscard]] bool looks_until(Look&& is_so) {
  for (int look = 0; look < kFirstLooks; ++look) {
    if (is_so()) return true;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  return false;
}

// For __weft_remote_await, where every change rings.
inline bool never(const void*) { return false; }

}  // namespace weft::remote
