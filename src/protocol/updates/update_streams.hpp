// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbered streams of updates between nodes, and everything that waits for one to have come
// far enough: fetches and atomic operations at the home, and this node's own acquires.
// Numbers go on from epoch to epoch; what is required of them ends with the epoch.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "base/page_range.hpp"
#include "protocol/context/step.hpp"
#include "protocol/messages/records.hpp"

namespace weft {

class UpdateStreams {
 public:
  explicit UpdateStreams(NodeId self) : self_(self) {}

  // --- as a writer ---
  // The number of the next update to this home. `notice`: the next record is to name it.
  // `before_looks`: this node's loads of shown words come behind it (protocol/shown_words.md, 35).
  UpdateSequence next_to(NodeId home, bool notice, bool before_looks = true);
  // That of the last one; 0 if there was none.
  [[nodiscard]] UpdateSequence last_to(NodeId home) const;
  // For each home the last update since the last call, for a record.
  [[nodiscard]] std::vector<StreamPosition> take_unnoticed();

  // --- as a reader ---
  // From now on whatever is read at `home` must have the writer's updates up to `sequence`. One
  // requirement for all pages of a home, rather than one a page: it asks for more than it must,
  // but only for updates that are under way already.
  void require(NodeId home, NodeId writer, UpdateSequence sequence);
  [[nodiscard]] std::vector<StreamPosition> requirement_at(NodeId home) const;
  // The same for a load of a shown word on that page: of this node's own updates those alone that
  // are of such pages, or that are operations.
  [[nodiscard]] std::vector<StreamPosition> look_requirement_at(NodeId home, PageIndex page);
  [[nodiscard]] bool is_looked_at(PageIndex page) const { return looked_at_.contains(page); }
  [[nodiscard]] UpdateSequence last_before_looks(NodeId home) const;
  // Contents of a page of this home's came from somebody else, and may be newer than the home's.
  void note_bypass(NodeId home) { bypassed_.insert(home); }
  // The same of others' streams alone.
  [[nodiscard]] std::vector<StreamPosition> others_at(NodeId home) const;
  // Others' updates that must be applied at the home before this node's next one.
  [[nodiscard]] std::vector<StreamPosition> order_at(NodeId home) const {
    return bypassed_.contains(home) ? others_at(home) : std::vector<StreamPosition>();
  }

  // --- as a home ---
  void count_applied(NodeId writer, UpdateSequence sequence);
  // This node's acquires are complete when this update has been applied here.
  void need(NodeId writer, UpdateSequence sequence);
  // A record has named it, and its writer had passed on all that it knew by then.
  void vouch(NodeId writer, UpdateSequence sequence);
  // Whether any other was applied since the last note_asked().
  [[nodiscard]] bool has_unvouched() const;
  void note_asked() { applied_when_asked_ = applied_; }

  [[nodiscard]] bool has_applied(const std::vector<StreamPosition>& positions) const;
  // This node has all updates that it needs at present.
  [[nodiscard]] bool is_settled() const { return has_applied(unsettled_); }

  // True: all of the requirement has been applied here, and the caller goes on. False: the step is
  // kept, and will be among the ready ones.
  [[nodiscard]] bool applied_or_keep(const std::vector<StreamPosition>& requirement,
                                     const auto& step) {
    if (!paused_ && has_applied(requirement)) return true;
    waiting_.push_back({requirement, step});
    return false;
  }
  // The same for what this node needs at present.
  [[nodiscard]] bool settled_or_keep(const auto& step) {
    return applied_or_keep(needed_now(), step);
  }
  // Steps are kept.
  [[nodiscard]] bool has_waiting() const { return !waiting_.empty(); }
  // The steps that may be taken now.
  [[nodiscard]] std::vector<Step> take_ready();

  // While paused (the node is between two epochs), nothing is ready.
  void pause(bool paused) { paused_ = paused; }
  void end_epoch() {
    requirements_.clear();
    looked_at_ = {};
    bypassed_.clear();
  }

 private:
  struct Waiting {
    std::vector<StreamPosition> requirement;
    Step step;
  };

  NodeId self_;
  bool paused_ = false;
  [[nodiscard]] bool has_applied(const StreamPosition& position) const;
  [[nodiscard]] std::vector<StreamPosition> needed_now();

  // By the node at the other end, where there was anything: a node has few of them.
  std::map<NodeId, UpdateSequence> sent_, applied_, needed_;
  std::map<NodeId, UpdateSequence> vouched_, applied_when_asked_;
  std::map<NodeId, UpdateSequence> unnoticed_;
  std::map<NodeId, std::map<NodeId, UpdateSequence>> requirements_;  // [home][writer]
  std::set<NodeId> bypassed_;
  std::map<NodeId, UpdateSequence> before_looks_;  // by home, a last update
  PageSet looked_at_;                              // in this epoch
  std::vector<StreamPosition> unsettled_;          // the part of needed_ that is not applied yet
  std::vector<Waiting> waiting_;
};

}  // namespace weft
