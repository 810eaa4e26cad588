// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who executes a `single nowait`: the first thread of the whole team that comes to it, as threads
// that have gone on may be what the one inside waits for. Every thread comes to all of a region's
// single constructs in the same order, so those taken are always the first few, and their number
// says it all. Node 0 counts; other nodes ask it, and know from its answer which ones they need not
// ask about.
#pragma once

#include <cstdint>
#include <mutex>

#include "base/codec.hpp"
#include "base/signal_safe_mutex.hpp"

namespace weft::openmp {

class SingleCount {
 public:
  // Of a thread of another node.
  struct Claim {
    std::uint64_t region = 0, construct = 0;
    WEFT_FIELDS(self.region, self.construct)
  };
  struct Answer {
    bool is_granted = false;
    std::uint64_t taken = 0;  // of the region, this one included
    WEFT_FIELDS(self.is_granted, self.taken)
  };

  // A thread comes to the region's construct of this number. Regions only ever go on.
  [[nodiscard]] Answer claim(std::uint64_t region, std::uint64_t construct);

 private:
  SignalSafeMutex lock_;
  std::uint64_t region_ = 0, taken_ = 0;
};

}  // namespace weft::openmp
