// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The home's part of pushing (protocol/pushing.md, 14): which of its pages go to which nodes when
// a phase begins. Who asks for a page in a phase is taken to want it there the next time;
// who has had the page since it was written last is not sent it again.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/page_map.hpp"
#include "base/page_range.hpp"
#include "protocol/pushing/absence.hpp"
#include "protocol/pushing/rhythm_finder.hpp"

namespace weft {

class PushTable {
 public:
  // A rhythm is what so many equal distances in a row show.
  PushTable(const Beginnings& beginnings, std::uint32_t rhythm_proof)
      : beginnings_(beginnings), rhythm_proof_(rhythm_proof) {}

  // The consumer is being sent a copy, and wants one whenever the phase begins, or in that
  // rhythm. None, and nothing is promised, if there are too many subscriptions already; or if this
  // one has been ended before: once, then the next 3 requests do not begin it anew, then 15, then
  // 63. Unless they show a rhythm, and it was not one that was ended.
  [[nodiscard]] std::optional<Rhythm> subscribe(NodeId consumer, PhaseKey phase, PageIndex page);
  // The consumer is told so the next time, rather than sent the page.
  void unsubscribe(NodeId consumer, PhaseKey phase, PageIndex page);

  // A page homed here was written: of the copies, only the writer's is right, if it keeps one. If
  // it was away, its subscriptions are there again.
  void page_written(PageIndex page, NodeId keeper);
  // The page has got another home, elsewhere. Its subscriptions sleep until it comes back, or end
  // if it goes on and on, and its consumers know that.
  void page_moved(PageIndex page);
  // It has subscriptions, and is elsewhere.
  [[nodiscard]] bool sleeps(PageIndex page) const {
    const Entry* const entry = pages_.find(page);
    return entry && entry->absence;
  }
  // Its home is another, and it was not written: all forget its subscriptions.
  void page_taken_over(PageIndex page) { pages_.erase(page); }

  // In how many epochs the page was written since anybody was sent it; none if nobody will be each
  // time that some phase begins.
  [[nodiscard]] std::optional<std::uint32_t> writes_since_given(PageIndex page) const;
  // Whether the page goes to anybody if this phase begins now.
  [[nodiscard]] bool is_due(PageIndex page, PhaseKey phase) const;
  struct Due {
    std::vector<PageIndex> pages;
    PageSet ended;
  };
  // Whether this consumer is subscribed to anything, or to this page, in the phase.
  [[nodiscard]] bool serves(NodeId consumer, PhaseKey phase) const {
    return served_.contains({consumer, phase});
  }
  [[nodiscard]] bool wants(NodeId consumer, PhaseKey phase, PageIndex page) const;
  // Of one that this consumer gets.
  [[nodiscard]] Rhythm rhythm_of(NodeId consumer, PhaseKey phase, PageIndex page) const;
  // Those who want it then, and, if so, lack it now, in the same rhythm as this one, which does.
  [[nodiscard]] std::vector<NodeId> wanting(NodeId consumer, PhaseKey phase, PageIndex page,
                                            bool lacking) const;
  // The consumer has been sent the page.
  void note_sent(NodeId consumer, PageIndex page);
  // What this consumer has lacked since before the last phase, but for some pages; at most so
  // many. Does not count as sent.
  [[nodiscard]] std::vector<PageIndex> due_since(NodeId consumer, PhaseKey phase,
                                                 const PageSet& except, std::size_t most) const;
  // What is to be sent to this consumer, but for some pages; nothing if there are more than so
  // many. Counts as sent.
  [[nodiscard]] Due take_due_of(NodeId consumer, PhaseKey phase, const PageSet& except,
                                std::size_t most);
  // What is to be sent to whom now that the phase begins; counts as sent.
  [[nodiscard]] std::map<NodeId, Due> take_due(PhaseKey phase);

 private:
  struct Subscription {
    NodeId consumer;
    PhaseKey phase;
    Rhythm rhythm;
    std::uint32_t stray_cycle = 0;  // the last in which the page was asked for between the beats
    bool ended = false;
    bool promised = false;  // what tells the consumer of it may be on its way
  };
  struct Entry {
    std::vector<Subscription> subscriptions;
    std::vector<NodeId> copies;  // who was sent the page since it was written last
    std::uint32_t writes = 0;    // epochs that wrote it since anybody was sent it
    Absence absence{};           // of the page from this node

    [[nodiscard]] bool has_copy(NodeId node) const;
    [[nodiscard]] const Subscription* find(NodeId consumer, PhaseKey phase) const;
    [[nodiscard]] Subscription* find(NodeId consumer, PhaseKey phase);
    // Adds what is due to one of its subscribers: the page, or that it comes no more. Returns
    // whether the subscription has ended.
    bool take(PageIndex page, Subscription& to, Due& due);
  };

  // None of a page that is away.
  [[nodiscard]] const Entry* find_here(PageIndex page) const;
  [[nodiscard]] Entry* find_here(PageIndex page);
  [[nodiscard]] bool is_due_to(const Entry& entry, const Subscription& each, PhaseKey phase) const;
  // Pages that may be due when the phase begins the next time.
  [[nodiscard]] PageSet stale(PhaseKey phase) const;
  void take_page(PageIndex page, PhaseKey phase, std::map<NodeId, Due>& due);

  // A subscription that came to nothing, for each time more reluctant to begin again.
  struct Disappointment {
    std::uint32_t endings = 0;
    std::uint32_t requests_to_pass = 0;
    RhythmFinder requests;
    bool of_rhythm = false;
  };
  using Place = std::tuple<PageIndex, NodeId, PhaseKey>;

  void note_asked_again(Subscription& known) const;
  void note_ended(PageIndex page, const Subscription& ended);
  [[nodiscard]] std::optional<Rhythm> rhythm_for(const Place& place);

  const Beginnings& beginnings_;
  std::uint32_t rhythm_proof_;
  PageMap<Entry> pages_;
  std::map<Place, Disappointment> disappointments_;
  std::set<std::pair<NodeId, PhaseKey>> served_;
  // Written since the phase began last, or since a page was pushed in it; by the beginning in
  // which they are due.
  std::map<PhaseKey, std::map<std::uint32_t, PageSet>> stale_;
};

}  // namespace weft
