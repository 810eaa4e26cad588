// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types and numbers of libomp's compiler interface (LLVM 22), as docs/internals/openmp-abi.md
// lists them.
#pragma once

#include <cstdint>

// Entry points are found by the program's dynamic linker, and by nobody else.
#define WEFT_ENTRY extern "C" __attribute__((visibility("default")))

namespace weft::openmp {

// The source position that the compiler passes to nearly every call; `text` is
// ";file;function;line;column;;".
struct Ident {
  std::int32_t reserved_1 = 0, flags = 0, reserved_2 = 0, reserved_3 = 0;
  const char* text = nullptr;
};

inline const char* text_of(const Ident* position) {
  return position == nullptr ? nullptr : position->text;
}

// Among an Ident's flags, of a reduction: atomic operations may do it. clang always says so.
inline constexpr std::int32_t kReductionByAtomics = 0x10;

// The body of a parallel region; takes a pointer for each captured variable after these two.
using Microtask = void (*)(std::int32_t* gtid, std::int32_t* thread, ...);
using CombineFunction = void (*)(void* left, void* right);
using TaskEntry = std::int32_t (*)(std::int32_t gtid, void* task);
using CopyFunction = void (*)(void* to, void* from);

// Schedules, as numbered by the compilers.
inline constexpr std::int32_t kStaticChunked = 33, kStatic = 34, kDynamicChunked = 35,
                              kGuidedChunked = 36, kRuntime = 37, kAuto = 38, kTrapezoidal = 39,
                              kStaticGreedy = 40, kStaticBalanced = 41, kGuidedIterative = 42,
                              kGuidedAnalytical = 43, kStaticSteal = 44,
                              kStaticBalancedChunked = 45, kGuidedSimd = 46, kRuntimeSimd = 47;
// `distribute`: among the teams of a league.
inline constexpr std::int32_t kDistributeChunked = 91, kDistribute = 92;
// An ordered loop has its schedule's number and this, a loop that must not merge its chunks that.
inline constexpr std::int32_t kOrderedOffset = 32, kOrderedUpper = 72;
inline constexpr std::int32_t kNoMergeLower = 160, kNoMergeUpper = 216, kNoMergeOffset = 128;
inline constexpr std::int32_t kMonotonic = 1 << 29, kNonmonotonic = 1 << 30;

// One address of a depend clause.
struct DependInfo {
  std::uintptr_t address;
  std::size_t length;
  std::uint8_t flags;  // 1 in, 2 out, 4 mutexinoutset, 8 inoutset, 0x80 all memory

  // Some compilers say all memory by this address, with the flag for out.
  [[nodiscard]] bool is_all_memory() const { return address == ~std::uintptr_t{0}; }
};
static_assert(sizeof(DependInfo) == 24);

// One loop of a doacross nest.
struct DoacrossDimension {
  std::int64_t lower, upper, stride;
};

// omp_sched_t, as omp_get_schedule gives it; the top bit means monotonic.
inline constexpr std::uint32_t kScheduleStatic = 1, kScheduleDynamic = 2, kScheduleGuided = 3,
                               kScheduleAuto = 4, kScheduleMonotonic = 0x80000000U;

inline constexpr std::int32_t kCancelParallel = 1, kCancelLoop = 2, kCancelSections = 3,
                              kCancelTaskgroup = 4;

}  // namespace weft::openmp
