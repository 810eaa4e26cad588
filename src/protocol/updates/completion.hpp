// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The end of an operation that acquires: a thread is told once this node has all updates that it
// needs.
#pragma once

#include "protocol/context/context.hpp"
#include "protocol/context/step.hpp"
#include "protocol/updates/update_streams.hpp"

namespace weft {

inline void complete(Effects& effects, const step::Complete& step) { effects.complete(step.wait); }
inline void complete(Effects& effects, const step::CompleteTry& step) {
  effects.complete_try(step.wait, true);
}
inline void complete(Effects& effects, const step::CompleteAdding& step) {
  effects.complete_adding(step.wait, step.right);
}
inline void complete(Effects& effects, const step::CompleteAwait& step) {
  effects.complete_await(step.wait, step.count);
}
inline void complete(Effects& effects, const step::CompleteAtomic& step) {
  effects.complete_atomic(step.wait, step.result);
}
inline void complete(Effects& effects, const step::DeliverPost& step) {
  effects.deliver_post(step.from, step.payload);
}

// Now, or as a step of the streams. In the order of the calls: what one waits for, the next waits
// for too.
template <typename Completion>
void complete_when_settled(Context& context, UpdateStreams& streams, const Completion& completion) {
  if (streams.settled_or_keep(completion)) complete(context.effects, completion);
}

}  // namespace weft
