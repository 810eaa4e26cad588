// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers at which no node has anything to tell (protocol/empty_barriers.md, 27). Nodes of one
// host meet there in memory: no message is sent, and no epoch ends.
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
  // This node is going to bring something to the next barrier, and waits for what others bring.
  void note_gather();
  [[nodiscard]] bool is_waiting() const { return waiting_.has_value(); }
  // Whether others have come meanwhile. Returns a barrier at which it is to arrive by messages.
  // `gives_up`: it waits no longer.
  [[nodiscard]] std::optional<step::EnterBarrier> look(bool gives_up);

  // All nodes have arrived by messages: this is what all are told.
  void note_departure(const BarrierDepart& all);
  // The epoch ends, with a barrier or a publication.
  void begin_epoch() { passed_ = 0; }

 private:
  // Where the program is: the phase, and how many barriers were empty since.
  struct Place {
    PhaseKey phase;
    std::uint32_t passed;
    auto operator<=>(const Place&) const = default;
  };

  [[nodiscard]] Meeting* meeting() const;
  [[nodiscard]] Place place() const;
  [[nodiscard]] bool has_nothing_to_tell(const BarrierInput& input);
  void pass(WaitId wait);

  Context& context_;
  Coherence& coherence_;
  const Pusher& pusher_;
  Proofs<Place> proofs_;
  std::uint64_t reached_ = 0;      // barriers
  std::uint32_t passed_ = 0;       // of them, since the epoch began
  bool others_are_there_ = false;  // threads outside the team, at the last barrier
  std::optional<step::EnterBarrier> waiting_;
};

}  // namespace weft
