// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Weft's passes (compiler/pass/calls/call_notes.hpp) tell the runtime about one call of an
// entry point: it gives the call a source position of its own, which is followed by the note. To
// libomp, and so on one node, that is a position like any other: a note costs nothing there.
#pragma once

#include <cstdint>

#include "openmp/libomp/kmp_abi.hpp"

namespace weft::openmp {

// What a reduction's list names. Of a region's call: the arguments; kBytes is a variable of so many
// bytes that nobody writes while the region runs, and all others are kOpaque.
struct ReducedItem {
  enum class Kind : std::uint64_t {
    kOpaque,  // no bytes that mean something by themselves: pointers are in it, or it is unknown
    kBytes,   // so many bytes
    kArray,   // elements of so many bytes; the list's next entry is their number
    kCount,   // that number
    kDescriptor,  // a variable that points to a Fortran descriptor of an array
  } kind;
  std::uint64_t bytes;
};

struct CallNote {
  // In Ident::reserved_1, which the compilers leave 0: "WEFT".
  static constexpr std::int32_t kMark = 0x54464557;

  enum Flag : std::uint32_t {
    // Of a reduction, or a barrier: the region's end follows, and nothing before it that others
    // could see.
    kEndsRegion = 1,
    // Of a barrier: a reduction beside it has its effect already.
    kRedundant = 2,
    // Of a single region: who does not execute it waits for its end.
    kOthersWait = 4,
    // Of a flush: a loop ends here that polled for a flag with flushes.
    kPolled = 8,
  };

  Ident position;
  std::uint32_t flags;
  std::uint32_t item_count;
  ReducedItem items[1];  // item_count of them

  [[nodiscard]] bool has(Flag flag) const { return (flags & flag) != 0; }
};

// The note behind a call's position; null if there is none.
inline const CallNote* note_of(const Ident* position) {
  if (position == nullptr || position->reserved_1 != CallNote::kMark) return nullptr;
  return reinterpret_cast<const CallNote*>(position);
}

}  // namespace weft::openmp
