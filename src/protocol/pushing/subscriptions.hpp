// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The consumer's part of pushing (protocol/pushing.md, 14): which pages this node gets without
// asking when a phase begins, and whether they are worth it. A mapped page does not tell
// whether it is used, so now and then one is held back, present and not mapped: used is what
// faults.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "base/page_map.hpp"
#include "base/page_range.hpp"
#include "protocol/pushing/absence.hpp"
#include "protocol/pushing/rhythm_finder.hpp"

namespace weft {

class Subscriptions {
 public:
  explicit Subscriptions(const Beginnings& beginnings) : beginnings_(beginnings) {}

  // The home will push this page in this rhythm when the phase begins.
  void add(PageIndex page, PhaseKey phase, NodeId home, Rhythm rhythm);
  // That home says that it does not any more.
  void end(PageIndex page, PhaseKey phase, NodeId home);
  // This node's copy has become out of date, by a notice that all nodes had. Subscriptions at other
  // nodes than the page's home sleep until it comes back there, or end if it `moved` too often
  // meanwhile, as they do there.
  void page_lost(PageIndex page, NodeId home, bool moved);
  // The page was taken over by another home: all that is known of its subscriptions ends.
  void page_taken_over(PageIndex page) { pages_.erase(page); }

  // The pages lost since the phase began last that its beginning brings back, if this node lacks
  // them still.
  [[nodiscard]] PageSet take_due(PhaseKey phase);

  // A page was pushed: whether it is to be held back this time, if it may be.
  [[nodiscard]] bool hold_back(PageIndex page, PhaseKey phase, bool may);
  // What the touch of this page shows to be of use, if it was held back: the page; and once it has
  // shown so before by itself, those around it that have, and that are held back, too.
  [[nodiscard]] PageSet shown_by(PageIndex page) const;
  // A page that was held back was touched. False if it was not held back.
  bool note_used(PageIndex page);
  // The page, if held back, was not touched until now that it is lost: the phase in vain.
  [[nodiscard]] std::optional<PhaseKey> take_unused(PageIndex page);
  // That phase's push was in vain: then the next one is held back, too. True if it is in vain
  // for the second time in a row. (A page may be used every other time that the phase begins.)
  [[nodiscard]] bool doubt(PageIndex page, PhaseKey phase);
  [[nodiscard]] const std::map<PageIndex, PhaseKey>& held() const { return held_; }

 private:
  struct Subscription {
    PhaseKey phase;
    NodeId home;
    Rhythm rhythm;
    std::uint32_t pushes = 0;
    bool doubted = false;  // the last one that was held back was not used
    Absence absence{};     // of the page from this home

    [[nodiscard]] bool is_for(PhaseKey in, NodeId at) const { return phase == in && home == at; }
  };

  // At the page's home as it is now.
  [[nodiscard]] const Subscription* find(PageIndex page, PhaseKey phase) const;
  [[nodiscard]] Subscription* find(PageIndex page, PhaseKey phase);
  [[nodiscard]] bool is_proven(PageIndex page, PhaseKey phase) const;

  const Beginnings& beginnings_;
  PageMap<std::vector<Subscription>> pages_;
  // By the beginning that brings them back.
  std::map<PhaseKey, std::map<std::uint32_t, PageSet>> lost_;
  std::map<PageIndex, PhaseKey> held_;
};

}  // namespace weft
