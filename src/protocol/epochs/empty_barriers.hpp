// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers at which no node has anything to tell (protocol/empty_barriers.md, 27), and publications
// behind them by which node 0 tells nothing but the payload (protocol/empty_regions.md, 34). Nodes
// of one host meet there in memory: no message is sent, and no epoch ends.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "protocol/context/context.hpp"
#include "protocol/context/step.hpp"
#include "protocol/epochs/proofs.hpp"
#include "protocol/intervals/coherence.hpp"
#include "protocol/pushing/pusher.hpp"

namespace weft {

class EmptyBarriers {
 public:
  EmptyBarriers(Context& context, Coherence& coherence, const Pusher& pusher)
      : context_(context),
        coherence_(coherence),
        pusher_(pusher),
        proofs_(context.config.empty_barrier_proof) {}

  // This node is at the next barrier. True: it has passed, or waits for others there (look). False:
  // it is to arrive by messages, as every node does then.
  [[nodiscard]] bool meet(const step::EnterBarrier& barrier);
  // The same before it brings something to the next barrier, and waits for what others bring.
  [[nodiscard]] bool gather(WaitId wait);
  // Node 0 publishes. False: by messages.
  [[nodiscard]] bool publish(const step::EnterPublication& publication);

  // At a barrier, for the others; and for anything that others do in memory.
  [[nodiscard]] bool is_waiting() const { return waiting_ || gathering_; }
  [[nodiscard]] bool is_looking() const { return is_waiting() || looks_for_publication_; }
  // A barrier at which this node is to arrive, or to gather, by messages.
  struct ByMessages {
    std::optional<step::EnterBarrier> barrier;
    std::optional<WaitId> gather;
  };
  // Whether others have come meanwhile, or node 0 has published. `gives_up`: this node looks no
  // longer.
  [[nodiscard]] ByMessages look(bool gives_up);

  // All have come to the last barrier, behind which node 0 alone goes on until it publishes.
  [[nodiscard]] bool is_before_publication() const { return is_before_publication_; }
  // All nodes have arrived by messages: this is what all are told.
  void note_departure(const BarrierDepart& all);
  // The epoch ends, with a barrier or a publication.
  void begin_epoch() {
    passed_ = 0;
    is_before_publication_ = looks_for_publication_ = false;
  }

 private:
  // Where the program is: the phase, and how many barriers were empty since.
  struct Place {
    PhaseKey phase;
    std::uint32_t passed;
    auto operator<=>(const Place&) const = default;
  };

  [[nodiscard]] Meeting* meeting() const;
  [[nodiscard]] Place place() const;
  [[nodiscard]] bool is_tried() const;
  // Each node has a place for a few bytes, which mean the same to all.
  [[nodiscard]] bool may_bring() const;
  [[nodiscard]] bool fits(const BarrierInput& input) const;
  [[nodiscard]] bool has_nothing_to_tell(const BarrierInput& input);
  [[nodiscard]] ByMessages look_for_contributions(bool gives_up);
  [[nodiscard]] ByMessages look_for_others(bool gives_up);
  void look_for_publication(bool gives_up);
  void pass(const step::EnterBarrier& barrier);

  Context& context_;
  Coherence& coherence_;
  const Pusher& pusher_;
  Proofs<Place> proofs_;
  std::uint64_t reached_ = 0;      // barriers
  std::uint32_t passed_ = 0;       // of them, since the epoch began
  bool others_are_there_ = false;  // threads outside the team, at the last barrier
  bool fits_ = true;               // what this node brings to the present barrier
  std::optional<step::EnterBarrier> waiting_;
  std::optional<WaitId> gathering_;  // before the barrier behind the last one reached
  bool is_before_publication_ = false;
  bool looks_for_publication_ = false;
};

}  // namespace weft
