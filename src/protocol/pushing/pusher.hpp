// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pushing (protocol/pushing.md, 14): at the turn of an epoch a home sends its pages, without being
// asked, to the nodes that asked for them when the program was last where it is now; and a node
// waits for what it is to get, so that its threads find the pages mapped.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "protocol/comparisons/write_vectors.hpp"
#include "protocol/context/context.hpp"
#include "protocol/exchange/exchanges.hpp"
#include "protocol/homes/copy_holders.hpp"
#include "protocol/pages/page_access.hpp"
#include "protocol/pages/page_runs.hpp"
#include "protocol/pages/page_table.hpp"
#include "protocol/pushing/push_table.hpp"
#include "protocol/pushing/rhythm_finder.hpp"
#include "protocol/pushing/subscriptions.hpp"

namespace weft {

class Pusher {
 public:
  Pusher(Context& context, PageTable& table, PageAccess& access, CopyHolders& holders,
         WriteVectors& vectors, Exchanges& exchanges)
      : context_(context),
        table_(table),
        access_(access),
        holders_(holders),
        vectors_(vectors),
        exchanges_(exchanges),
        table_here_(beginnings_, context.config.rhythm_proof),
        subscriptions_(beginnings_) {}

  // --- learning ---
  // Where the program is: what is asked for now is wanted whenever it comes here.
  [[nodiscard]] PhaseKey phase() const { return phase_; }
  // The same, of a home that is asked: the phase at whose beginning its pages are wanted. Behind a
  // publication it may be the one before.
  [[nodiscard]] PhaseKey phase_at(NodeId home) const;
  // At the home, which answers a request: how it will push these pages in this phase from now
  // on. Those that it will not push have no phase.
  struct Promise {
    PhaseKey phase;
    Rhythm rhythm;
    auto operator<=>(const Promise&) const = default;
  };
  using Promises = std::map<Promise, std::vector<PageIndex>>;
  [[nodiscard]] Promises subscribe(NodeId consumer, Epoch asked, PhaseKey phase,
                                   const std::vector<PageIndex>& pages);
  // At the node that asked, with the answer.
  void subscribed(PageIndex page, const Promise& promise, NodeId home);
  // A page that was held back is touched: which pages are to be mapped now, if it was by pushing.
  [[nodiscard]] PageSet note_touched(PageIndex page);

  // --- the turn of an epoch, in this order ---
  // `early_homes`: what these pushed in the phase that ends is in time for the next one, too.
  void begin_turn(PhaseKey next, std::vector<NodeId> early_homes);
  // For each page that was noticed: homed here now, and `keeper` has a copy; homed here from now
  // on; homed elsewhere now.
  void note_written_here(PageIndex page, NodeId keeper) {
    WEFT_PROBE_IF(table_here_.sleeps(page), context_, kPageBack);
    table_here_.page_written(page, keeper);
  }
  // Homed here, and others' final updates are to come.
  void note_incomplete(PageIndex page) { incomplete_.insert(page); }
  void note_taken(PageIndex page) {
    subscriptions_.page_lost(page, context_.config.self, /*moved=*/true);
  }
  void note_lost(PageIndex page, NodeId home_before, NodeId home);
  // It was not written, and its home is another now.
  void note_taken_over(PageIndex page) {
    table_here_.page_taken_over(page);
    subscriptions_.page_taken_over(page);
    expected_.erase(page);
  }
  // A page homed here goes to somebody at the end of this turn.
  [[nodiscard]] bool is_due(PageIndex page) const { return table_here_.is_due(page, phase_); }
  // The page goes to others again and again, and has not been written often since it last did.
  [[nodiscard]] bool is_given_often(PageIndex page) const {
    const std::optional<std::uint32_t> writes = table_here_.writes_since_given(page);
    return writes && *writes <= context_.config.watched_writes;
  }
  // Before this: what this consumer got with the barrier's messages is right; and the same of a
  // page that was not written.
  void count_carried(NodeId consumer, PageIndex page) { carried_[consumer].insert(page); }
  void count_sent(NodeId consumer, PageIndex page) { table_here_.note_sent(consumer, page); }
  // The page was written: whether somebody has got it already.
  [[nodiscard]] bool note_carried(PageIndex page);
  // All pages are in the states of the next epoch.
  void expect_pushes();
  // What may go to this node with a message of the barrier: pages of which nothing is missing. If
  // the message goes at once, who reads contents here is told their names alone.
  [[nodiscard]] Push take_for(NodeId consumer, bool goes_at_once);
  // All contents are those of the next epoch.
  void push();
  // This node has what it waits for.
  [[nodiscard]] bool has_all() const;
  // Something is on its way, whether the epoch waits for it or a thread that touches it.
  [[nodiscard]] bool expects_any() const { return !expected_.empty(); }
  // It need not be asked for: it is on its way.
  [[nodiscard]] bool is_coming(PageIndex page) const {
    return table_.find(page)->owed && expected_.contains(page);
  }

  [[nodiscard]] bool serves(NodeId consumer, PhaseKey phase) const {
    return table_here_.serves(consumer, phase);
  }
  [[nodiscard]] bool wants(NodeId consumer, PhaseKey phase, PageIndex page) const {
    return table_here_.wants(consumer, phase, page);
  }

  [[nodiscard]] std::vector<NodeId> wanting(NodeId consumer, PhaseKey phase, PageIndex page,
                                            bool lacking) const {
    return table_here_.wanting(consumer, phase, page, lacking);
  }

  // Pages that this consumer is to have in the phase, and could not have in those that went by
  // since they were written; at most so many. Not those in `written`.
  [[nodiscard]] std::vector<PageIndex> due_since(NodeId consumer, PhaseKey phase,
                                                 const PageSet& written, std::size_t most) const {
    return table_here_.due_since(consumer, phase, written, most);
  }
  // The node has said that it reads contents where they are. From then on it is told of them alone,
  // but for a few in the barrier's own messages.
  void note_reader(NodeId consumer) { readers_.insert(consumer); }
  // Whether others may be given what this page of the home's holds when they read it.
  [[nodiscard]] bool may_lend(PageIndex page) const;
  // All of these are to read the page here: they are sent its name alone.
  [[nodiscard]] bool is_read_here(const std::vector<NodeId>& consumers, PageIndex page) const;
  // Adds to the push the rhythm of each of its pages.
  void add_rhythms(NodeId consumer, Push& push) const;
  // These go to the consumer. Before the contents are copied: what is written from now on will be
  // found.
  void share(NodeId consumer, const std::vector<PageIndex>& pages);

  // Of a page that has just come: what this node wrote of it, and its home has, too.
  void add_own(PageIndex page, ByteView diff);

  // What a push brought: pages that were mapped, and pages that threads wait for and that do not
  // come after all.
  struct Taken {
    PageRuns mapped;
    std::vector<PageIndex> wanted;
  };
  // Pages of the push whose contents this node has to read where they are, before it takes them.
  [[nodiscard]] PageSet to_read(NodeId from, Epoch epoch, const Push& message) const;
  // `unread`: those of them that could not be read.
  [[nodiscard]] Taken take(NodeId from, Epoch epoch, const Push& message, const PageSet& unread);
  void on_unsubscribe(NodeId from, const Unsubscribe& message);

 private:
  using DueByNode = std::map<NodeId, PushTable::Due>;

  void count_links(NodeId consumer, const std::vector<PageIndex>& pages);
  [[nodiscard]] PageBytes pushed(const std::vector<NodeId>& consumers, PageIndex page) const;
  [[nodiscard]] bool give_up(Page& entry, PageIndex page);
  void send_chunks(DueByNode due);
  // --- by way of an exchange (protocol/exchange.md, 31): what goes to several is one thing ---
  // Pages that the same nodes get in the same rhythm.
  using Shared = std::map<std::pair<Rhythm, std::vector<NodeId>>, std::vector<PageIndex>>;
  [[nodiscard]] Shared shared_of(const DueByNode& due) const;
  void count_load(const DueByNode& due, const Shared& shared);
  void exchange(const DueByNode& due, const Shared& shared);
  void send_unsubscriptions();
  // Returns the pages that threads wait for.
  [[nodiscard]] std::vector<PageIndex> end_pushes(NodeId from, const Push& message);
  [[nodiscard]] bool may_install(const Page& entry, NodeId from, Epoch epoch) const;
  // Returns whether the page is to be mapped.
  [[nodiscard]] bool install(Page& entry, PageIndex page, const Promise& promise, NodeId from);

  Context& context_;
  PageTable& table_;
  PageAccess& access_;
  CopyHolders& holders_;
  WriteVectors& vectors_;
  Exchanges& exchanges_;
  PhaseKey phase_, before_;
  std::vector<NodeId> early_homes_;  // those that are asked as if it were the phase before
  Beginnings beginnings_;
  PushTable table_here_;
  Subscriptions subscriptions_;
  std::set<NodeId> readers_;
  PageSet expected_;
  PageSet incomplete_;
  std::map<NodeId, PageSet> carried_;
  std::map<std::pair<NodeId, PhaseKey>, PageSet> unused_;  // by the home that pushed them
};

}  // namespace weft
