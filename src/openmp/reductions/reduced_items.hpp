// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's copies of what a reduction reduces, as bytes that travel to another node, and there as
// a list that the program's own function combines from. Copies that hold pointers, or of which
// nothing is known, stay where they are: their list is named by its address in shared memory.
#pragma once

#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "openmp/libomp/call_note.hpp"

namespace weft::openmp {

// A node's part of a reduction.
struct ReductionPart {
  Bytes bytes;
  bool names_memory = false;  // the copies themselves are not in it
};

// Without a note nothing is known of the copies.
[[nodiscard]] ReductionPart make_reduction_part(const CallNote* note, void** list);

// The list of what another node has sent, which lives in `part` or in shared memory. `own_list` is
// this node's in the same reduction. Nothing if the two do not match.
class ReceivedItems {
 public:
  static std::optional<ReceivedItems> read(const CallNote* note, void** own_list, ByteView part);

  [[nodiscard]] void** list() { return remote_list_ != nullptr ? remote_list_ : list_.data(); }

 private:
  void* add_descriptor(const void* own_variable, void* elements);

  void** remote_list_ = nullptr;
  std::vector<void*> list_;
  std::vector<Bytes> descriptors_;
};

}  // namespace weft::openmp
