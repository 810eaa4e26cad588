// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads outside the team write between their node's arrival at a barrier and the epoch that
// follows (protocol/epochs.md, 7): too late for the notices of the epoch that ends, it is in those
// of the next one.
#pragma once

#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/page_range.hpp"

namespace weft {

class LateWrites {
 public:
  using Diffs = std::vector<std::pair<PageIndex, Bytes>>;

  // This node arrives at a barrier, or publishes, and has such threads or not.
  void arrive(bool others_here) {
    arrived_ = true;
    others_here_ = others_here;
  }
  // From then until the next epoch begins.
  [[nodiscard]] bool has_arrived() const { return arrived_; }
  // What was said at the last arrival. Without such threads, nobody could have made one since.
  [[nodiscard]] bool others_here() const { return others_here_; }

  // A thread of this node writes, or has written: one outside the team if this node has arrived.
  void note_own(PageIndex page) {
    if (others_here_) note(page);
  }
  // Written, here or elsewhere, and in nobody's notices if this node has arrived.
  void note(PageIndex page) {
    if (arrived_) pages_.insert(page);
  }
  void note(const PageSet& pages) {
    if (arrived_) pages_.insert(pages);
  }
  // A diff of a page that was lost with the end of the epoch; goes out in the next one.
  void keep(PageIndex page, Bytes diff) { diffs_.emplace_back(page, std::move(diff)); }

  // `of_node_0_alone`: the notices that ended the epoch before lack what other nodes' threads
  // wrote.
  void begin_epoch(bool of_node_0_alone) {
    arrived_ = false;
    lacking_ = lacking_ << 1U | (of_node_0_alone ? 1U : 0U);
  }
  [[nodiscard]] PageSet take_pages() { return std::exchange(pages_, {}); }
  [[nodiscard]] Diffs take_diffs() { return std::exchange(diffs_, {}); }

  // Whether a record that is made now is late: it has what is in no notices of this epoch.
  [[nodiscard]] bool is_late() const { return arrived_ && (others_here_ || !pages_.empty()); }
  // Whether what is in a record of an earlier epoch than `now` is in notices since: in those that
  // ended its epoch, or if it is late, the one after.
  [[nodiscard]] bool was_noticed(Epoch then, bool is_late, Epoch now) const {
    const std::uint32_t ends = now.value() - then.value() - (is_late ? 1 : 0);
    return ends >= 64 || (~lacking_ & ((std::uint64_t{1} << ends) - 1)) != 0;
  }

 private:
  bool arrived_ = false;
  bool others_here_ = false;
  std::uint64_t lacking_ = 0;  // bit n: see begin_epoch, of the n-th epoch before this one
  PageSet pages_;
  Diffs diffs_;
};

}  // namespace weft
