// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages from one epoch to the next, at one node (protocol/epochs.md, 7): given who wrote what,
// homes move, copies become invalid, final updates go out and are waited for. The order of the
// steps is Barrier's (departure.cpp).
#pragma once

#include <map>
#include <set>
#include <vector>

#include "protocol/context/context.hpp"
#include "protocol/exchange/exchanges.hpp"
#include "protocol/fetching/exposure.hpp"
#include "protocol/homes/copy_holders.hpp"
#include "protocol/homes/writers.hpp"
#include "protocol/intervals/coherence.hpp"
#include "protocol/pages/page_access.hpp"
#include "protocol/pages/page_table.hpp"
#include "protocol/pushing/pusher.hpp"
#include "protocol/tree/home_offers.hpp"
#include "protocol/updates/update_streams.hpp"

namespace weft {

class EpochTurn {
 public:
  EpochTurn(Context& context, PageTable& table, PageAccess& access, Coherence& coherence,
            UpdateStreams& streams, Pusher& pusher, CopyHolders& holders, EpochWrites& writes,
            HomeUpdates& updates, Exposure& exposure, OpenPages& open, Exchanges& exchanges);

  using Finals = std::map<NodeId, HomeUpdates::Diffs>;
  struct Ending {
    const std::vector<Notice>& notices;
    const std::vector<NodeId>& others;  // nodes with threads outside the team
    const std::vector<Notice>& moves;   // of pages that nobody has written, to other homes
    const BarrierTree& tree;            // of the epoch that ends
    const PageSet& replaced;            // pages that whoever wrote them wrote most of
    PhaseKey next;                      // the phase that begins
    ExchangeKinds exchanges;            // with which the epoch ends
    bool is_publication;                // only what node 0 knows is among the notices
    bool threads_wait;                  // for the next epoch, all of them
  };
  // Begins to leave the epoch: puts all pages into the states of the next one. The final updates
  // that this node owes are to be sent, by send_finals() or with a message of the barrier.
  [[nodiscard]] Finals turn_pages(const Ending& ending);
  void send_finals(Finals finals);
  [[nodiscard]] const HomeOffers& offers() const { return offers_; }
  // A node's final update of this epoch has been applied here.
  void on_final(NodeId from);

  // What this node pushes goes out as soon as it has the final updates that it waits for. Others
  // may wait for it: it must not wait for what they push.
  void push_if_ready();
  // This node has all that it waits for between the two epochs.
  [[nodiscard]] bool is_complete() const {
    return has_finals() && pusher_.has_all() && !exchanges_.are_under_way();
  }
  // The next epoch begins. Returns the pages that threads still wait for.
  [[nodiscard]] std::vector<PageIndex> begin_next_epoch();

 private:
  // A page whose copy at this node ends, or is its writer's and agrees with the home from now on.
  struct Leaving {
    PageIndex page;
    bool owed;  // this node is among the writers: its diff goes into a final update
  };
  // What is done to pages, gathered while the table is gone through.
  struct Work {
    const BarrierTree& tree;
    PageRuns untrack{}, track{}, unmap{}, drop{};
    std::vector<Leaving> leaving{};
    Finals finals{};
  };

  [[nodiscard]] NodeId next_home(const HomeFacts& facts, const std::vector<NodeId>& writers,
                                 bool replaced) const;
  void turn(const WrittenRun& segment, Work& work);
  void turn_page(Page& entry, PageIndex page, const WrittenRun& segment, Work& work);
  void count_links(NodeId home, const std::vector<NodeId>& writers);
  void move(PageRange pages, NodeId home, Work& work);
  void move_page(Page& entry, PageIndex page, NodeId home, Work& work);
  void expect_finals_of(const std::vector<NodeId>& others, Work& work);
  void take(Page& entry, PageIndex page, const std::vector<NodeId>& writers, Work& work);
  void keep(const Page& entry, PageIndex page, Work& work);
  void lose(Page& entry, PageIndex page, NodeId home, bool owed, Work& work);
  void carry_out(Work& work);
  [[nodiscard]] std::set<NodeId> long_finals(const Work& work) const;
  void send_part(NodeId home, DiffChunk& part, bool final);
  [[nodiscard]] bool has_finals() const;
  void count_load(const Finals& finals);
  void exchange_finals(Finals finals);

  Context& context_;
  PageTable& table_;
  PageAccess& access_;
  Coherence& coherence_;
  UpdateStreams& streams_;
  Pusher& pusher_;
  CopyHolders& holders_;
  EpochWrites& writes_;
  HomeUpdates& updates_;
  Exposure& exposure_;
  OpenPages& open_;
  Exchanges& exchanges_;
  HomeOffers offers_;
  std::set<NodeId> expected_, received_;  // the writers of final updates of this epoch
  std::vector<PageIndex> wanted_;
  bool is_publication_ = false;
  bool with_others_ = false;  // threads outside the team run on any node
  bool has_pushed_ = false;
};

}  // namespace weft
