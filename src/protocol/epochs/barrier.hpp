// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers and publications: notices up a tree of nodes, and merged down again (protocol/epochs.md,
// 7).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "protocol/comparisons/recalls.hpp"
#include "protocol/context/context.hpp"
#include "protocol/epochs/barrier_pushes.hpp"
#include "protocol/epochs/empty_barriers.hpp"
#include "protocol/epochs/epoch_turn.hpp"
#include "protocol/epochs/proofs.hpp"
#include "protocol/exchange/exchanges.hpp"
#include "protocol/fetching/fetcher.hpp"
#include "protocol/homes/copy_holders.hpp"
#include "protocol/intervals/coherence.hpp"
#include "protocol/tree/contributions.hpp"
#include "protocol/tree/tree_shaper.hpp"

namespace weft {

class Barrier {
 public:
  Barrier(Context& context, Coherence& coherence, HomeUpdates& updates, UpdateStreams& streams,
          CopyHolders& holders, Pusher& pusher, Recalls& recalls, Fetcher& fetcher, EpochTurn& turn,
          EmptyBarriers& empty, Exchanges& exchanges)
      : context_(context),
        coherence_(coherence),
        updates_(updates),
        streams_(streams),
        holders_(holders),
        pusher_(pusher),
        recalls_(recalls),
        fetcher_(fetcher),
        turn_(turn),
        empty_(empty),
        exchanges_(exchanges),
        pushes_(context, pusher, fetcher),
        contributions_(context.config),
        tree_(first_tree()),
        shaper_(context.config.node_count, arity(), context.config.barriers_per_tree),
        crossings_(context.config.crossing_proof) {}

  void gather(WaitId wait);
  void arrive(WaitId wait, const BarrierInput& input);
  void publish(ByteView payload, PhaseKey next, bool others_here, WaitId wait);
  // See Engine. Asked between a barrier's end and the publication.
  [[nodiscard]] bool is_alone() const;
  [[nodiscard]] bool has_arrived() const { return context_.barrier == BarrierState::kArrived; }

  void on_arrive(NodeId from, Epoch epoch, const BarrierArrive& message);
  void on_part(NodeId from, const BarrierPart& message);
  void on_depart(const BarrierDepart& message);
  void on_wish(Epoch epoch);
  void on_publish(const Publish& message);
  // What has been gathered goes to this node, which has the updates that it may name.
  void complete_gather(WaitId wait);

  // --- between two epochs: the steps of Engine::State::begin_next_epoch_if_complete ---
  // Pushes what is to be pushed as soon as that may be. Returns whether this node has all that it
  // waits for.
  [[nodiscard]] bool may_begin_next_epoch();
  // The next epoch begins. Returns the pages that threads still wait for.
  [[nodiscard]] std::vector<PageIndex> begin_next_epoch();
  // Whoever waits for it goes on.
  void complete_epoch();
  // At node 0, whose departures are held no longer than they may be.
  void end_holding();
  // Of the message that came in, nothing may be needed any more.
  void end_message() { pushes_.own_kept(); }

 private:
  void add(const std::vector<Notice>& notices, const std::vector<SettledNotice>& settled,
           const PageSet& replaced);
  [[nodiscard]] bool gathers() const { return context_.barrier == BarrierState::kGathering; }
  [[nodiscard]] bool children_are_here() const;
  void end_gather_if_complete();
  void pass_up_if_complete();
  void send_up(BarrierDepart subtree);
  // What was gathered; of all nodes, as all of them are to know it, or of a subtree.
  [[nodiscard]] BarrierDepart take_gathered(bool of_all);
  // --- crossing: between the root and its only child ---
  // The other of the two; kNoNode if there are not two, or this is neither.
  [[nodiscard]] NodeId opposite() const;
  [[nodiscard]] bool may_cross(const BarrierInput& input) const;
  void send_across(const BarrierInput& input, const std::vector<Notice>& notices,
                   const std::vector<SettledNotice>& settled);
  // To be kept beyond the message.
  [[nodiscard]] static BarrierArrive without_views(BarrierArrive arrival);
  void note_known(const std::vector<SettledNotice>& settled, const PageSet& written);
  void note_crossing(const BarrierDepart& all, const EpochTurn::Finals& finals);
  void on_across(const BarrierArrive& message);
  void meet();
  // --- the end of an epoch (departure.cpp) ---
  // Who waits for the next epoch here.
  struct Ending {
    std::optional<WaitId> barrier{},
        publish{};               // a barrier's threads, or node 0 which has published
    std::uint8_t votes = 0;      // of the barrier
    std::vector<NodeId> tree{};  // of barriers from now on, if it changes
    Bytes payload{};             // of node 0's publication, at the others
  };
  [[nodiscard]] std::vector<Notice> notices_here(const BarrierDepart& message);
  void end_epoch(const Publish& message, Ending ending);
  void wait_for_next_epoch(EpochTurn::Finals finals, Ending ending);
  // --- the tree ---
  [[nodiscard]] std::uint32_t arity() const;
  [[nodiscard]] BarrierTree first_tree() const;
  [[nodiscard]] NodeId parent() const { return tree_.parent(context_.config.self); }
  [[nodiscard]] std::vector<NodeId> children() const {
    return tree_.children(context_.config.self);
  }
  // Node 0 may choose another tree at this barrier.
  [[nodiscard]] bool shapes_now() const;
  void report_links();
  [[nodiscard]] std::vector<NodeId> next_tree();
  // All but one that departs by itself.
  [[nodiscard]] std::vector<NodeId> told_children() const {
    return has_crossed_ ? std::vector<NodeId>() : children();
  }
  // To children for whom there is nothing to push, or to all where pages are many; then, when that
  // can be done, to the others.
  template <typename Message>
  void pass_down_early(const Message& message);
  template <typename Message>
  void pass_down_pushing(const Message& message, EpochTurn::Finals& finals);
  void pass_down(NodeId child, const BarrierDepart& message, Push push,
                 std::vector<Update> updates);
  void pass_down(NodeId child, const Publish& message, Push push, std::vector<Update> updates);
  void take_pushed(const Push& push);
  [[nodiscard]] static std::uint64_t pages_named(const BarrierDepart& all);
  [[nodiscard]] bool may_hold(const BarrierDepart& all) const;
  [[nodiscard]] std::vector<Notice> accept_offers(const BarrierDepart& all);
  template <typename Message>
  [[nodiscard]] bool pushes_to(NodeId child, const Message& message) const;
  template <typename Message>
  [[nodiscard]] bool tells_first(const Message& message) const;
  void count_notices(const std::vector<Notice>& notices,
                     const std::vector<SettledNotice>& settled = {});

  Context& context_;
  Coherence& coherence_;
  HomeUpdates& updates_;
  UpdateStreams& streams_;
  CopyHolders& holders_;
  Pusher& pusher_;
  Recalls& recalls_;
  Fetcher& fetcher_;
  EpochTurn& turn_;
  EmptyBarriers& empty_;
  Exchanges& exchanges_;
  BarrierPushes pushes_;
  std::optional<Ending> ending_;  // set between two epochs
  WaitId wait_;                   // while this node has arrived, or gathers
  PhaseKey next_;                 // the phase after the barrier, as this node names it
  std::size_t children_arrived_ = 0;
  Contributions contributions_;
  BarrierTree tree_;
  TreeShaper shaper_;  // at node 0
  // What goes up:
  std::uint8_t votes_ = 0;
  bool releases_ = false;  // with the records that the parent lacks
  std::vector<Link> links_;
  std::vector<Notice> offers_;
  bool threads_wait_ = true;            // in the present barrier
  bool precedes_publication_ = false;   // at node 0: the last one
  bool is_awaited_ = false;             // at node 0: a node waits for it to end, in it
  bool may_still_hold_ = false;         // at node 0: while it departs
  std::map<NodeId, PageSet> gathered_;  // of this node's subtree, by writer
  std::vector<SettledNotice> settled_;  // of it
  PageSet replaced_;                    // of it
  std::set<NodeId> others_;             // in this node's subtree, with threads outside the team
  std::vector<NodeId> last_others_;     // in the whole job, when the last barrier ended
  // Of a barrier that crosses:
  Proofs<PhaseKey> crossings_;  // at node 0
  bool has_crossed_ = false;    // at node 0: its child departs by itself
  PageSet known_owed_;          // at node 0: what its child is known to be owed before it arrives
  bool may_owe_early_ = true;   // the same of its updates
  std::optional<BarrierArrive> sent_up_;  // at the child, to be put together
  std::optional<BarrierArrive> across_;
  std::set<PhaseKey> crossed_;  // at the child: those before which it departed by itself
};

}  // namespace weft
