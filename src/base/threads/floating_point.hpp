// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a thread computes: rounding, which exceptions trap, whether small numbers become zero. libomp
// gives a region's threads what the thread has that begins it (KMP_INHERIT_FP_CONTROL, on unless
// the user says otherwise); the main threads of other nodes get it with the region.
#pragma once

#include <cstdint>

#include "base/codec.hpp"

namespace weft {

struct FloatingPointControl {
  std::uint16_t x87 = 0;      // the control word; x86 alone
  std::uint32_t control = 0;  // MXCSR without its status flags; FPCR elsewhere
  WEFT_FIELDS(self.x87, self.control)
  bool operator==(const FloatingPointControl&) const = default;
};

#if defined(__x86_64__)

inline constexpr std::uint32_t kStatusFlags = 0x3f;

inline FloatingPointControl present_floating_point() {
  FloatingPointControl present;
  asm volatile("fnstcw %0" : "=m"(present.x87));
  present.control = __builtin_ia32_stmxcsr() & ~kStatusFlags;
  return present;
}

inline void adopt_floating_point(const FloatingPointControl& wanted) {
  if (present_floating_point() == wanted) return;
  asm volatile("fnclex\n\tfldcw %0" : : "m"(wanted.x87));
  __builtin_ia32_ldmxcsr(wanted.control);
}

#else

inline FloatingPointControl present_floating_point() {
  std::uint64_t control;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return {0, static_cast<std::uint32_t>(control)};
}

inline void adopt_floating_point(const FloatingPointControl& wanted) {
  asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{wanted.control}));
}

#endif

}  // namespace weft
