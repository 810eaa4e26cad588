// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exchanges with which the present epoch ends, and the choice whether the next ones do.
#pragma once

#include <utility>
#include <vector>

#include "protocol/exchange/exchange.hpp"
#include "protocol/exchange/exchange_choice.hpp"

namespace weft {

struct Exchanges {
  explicit Exchanges(Context& context)
      : choice(context),
        finals(context, ExchangeKind::kFinals),
        pushes(context, ExchangeKind::kPushes) {}

  // The epoch ends, with these kinds of exchanges; the phase `next` begins.
  void begin_turn(PhaseKey next, ExchangeKinds kinds) {
    choice.begin_turn(next);
    if ((kinds & bit_of(ExchangeKind::kFinals)) != 0) finals.begin();
    if ((kinds & bit_of(ExchangeKind::kPushes)) != 0) pushes.begin();
  }
  // This node may be needed to pass something on, or something is still to come.
  [[nodiscard]] bool are_under_way() const {
    return (finals.is_under_way() || pushes.is_under_way()) && !WEFT_BUG(kLeaveExchange);
  }
  [[nodiscard]] Exchange& of(ExchangeKind kind) {
    return kind == ExchangeKind::kFinals ? finals : pushes;
  }

  ExchangeChoice choice;
  Exchange finals, pushes;
};

}  // namespace weft
