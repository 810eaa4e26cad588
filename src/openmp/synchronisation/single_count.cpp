// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/synchronisation/single_count.hpp"

#include "base/assert.hpp"

namespace weft::openmp {

SingleCount::Answer SingleCount::claim(std::uint64_t region, std::uint64_t construct) {
  const std::scoped_lock guard(lock_);
  WEFT_ASSERT(region >= region_, "a thread of a region that has ended");
  if (region > region_) {
    region_ = region;
    taken_ = 0;
  }
  WEFT_ASSERT(construct <= taken_, "a thread has left out a single construct");
  const bool is_granted = construct == taken_;
  if (is_granted) ++taken_;
  return {is_granted, taken_};
}

}  // namespace weft::openmp
