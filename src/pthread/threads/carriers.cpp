// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/threads/carriers.hpp"

#include <mutex>
#include <set>
#include <unordered_map>

#include "base/assert.hpp"
#include "base/futex.hpp"
#include "libc/interposition/hooks.hpp"
#include "libc/interposition/interpose.hpp"
#include "pthread/load/presence.hpp"
#include "pthread/load/stay.hpp"
#include "pthread/threads/elsewhere.hpp"
#include "pthread/threads/interruptions.hpp"
#include "pthread/threads/keys.hpp"
#include "pthread/threads/placing.hpp"
#include "pthread/threads/running.hpp"
#include "pthread/threads/thread_exits.hpp"
#include "pthread/threads/thread_ids.hpp"
#include "runtime/addresses/private_memory.hpp"
#include "runtime/board/board.hpp"
#include "runtime/interface/move_points.hpp"
#include "runtime/output/output_order.hpp"
#include "runtime/stacks/signal_stack.hpp"

namespace weft::pthread {
namespace {

struct Carriers {
  Node& node;
  SignalSafeMutex lock;
  std::unordered_map<pthread_t, Carrier*> by_id;
  std::set<unsigned> equipped;  // places of this node with carriers on all others
};
Carriers* carriers = nullptr;  // never destroyed: threads live as long as the process

constinit thread_local Carrier* own = nullptr;

NodeId self() { return carriers->node.self(); }

Carrier& known(pthread_t id) {
  Carrier* const carrier = carrier_of(id);
  WEFT_ASSERT(carrier != nullptr, "thread {} comes to a place without a carrier", id);
  return *carrier;
}

void note_whereabouts(Carrier& carrier, const MoveMessage& message, NodeId now) {
  const std::lock_guard guard(carrier.guard);
  if (message.moves <= carrier.moves) return;  // it is further by now
  carrier.moves = message.moves;
  carrier.whereabouts = now;
}

// A handler: under the node's lock.
void on_message(MoveMessage message) {
  Carrier& carrier = known(message.id);
  if (message.what == MoveMessage::kMovedOn) {
    return note_whereabouts(carrier, message, message.to);
  }
  note_whereabouts(carrier, message, self());
  carrier.message = std::move(message);
  carrier.has_come.store(1, std::memory_order_release);
  futex_wake_all(carrier.has_come);
}

// Awake for a while, as it may soon be back; then as if it were not there.
void wait_for_message(Carrier& carrier) {
  constexpr std::int64_t kAwakeNanoseconds = 200'000;
  carriers->node.wait_while(carrier.has_come, 0, now_ns() + kAwakeNanoseconds);
  board::leave_thread();
  while (carrier.has_come.load(std::memory_order_acquire) == 0) futex_wait(carrier.has_come, 0);
  carrier.has_come.store(0, std::memory_order_relaxed);
}

// Returns where the thread goes on.
ProgramPart take_arrival(Carrier& carrier) {
  const MoveMessage& message = carrier.message;
  note_presence();
  carriers->node.count_outside_threads(1);
  set_program_stack(reinterpret_cast<std::byte*>(message.stack_bottom),
                    reinterpret_cast<std::byte*>(message.stack_top));
  return {.stack_pointer = message.stack_pointer};
}

// When all is sent: until then the node must not rest.
void note_leaving() {
  note_absence();
  carriers->node.count_outside_threads(-1);
}

void send_on(Carrier& carrier) {
  const ProgramPart& part = left_program_part();
  const ProgramStack stack = program_stack();
  MoveMessage message{.what = MoveMessage::kArrives,
                      .id = carrier.id,
                      .moves = carrier.moves + 1,
                      .to = carrier.destination,
                      .stack_pointer = part.stack_pointer,
                      .stack_bottom = reinterpret_cast<std::uint64_t>(stack.bottom),
                      .stack_top = reinterpret_cast<std::uint64_t>(stack.top),
                      .belongings = std::move(carrier.belongings)};
  if (carrier.home == self()) {
    note_whereabouts(carrier, message, message.to);
  } else if (carrier.home != message.to) {
    const MoveMessage moved{MoveMessage::kMovedOn, message.id, message.moves, message.to};
    carriers->node.notify(carrier.home, Service::kMoves, to_bytes(moved));
  }
  count_move(self(), message.to);
  order_output();
  carriers->node.post(message.to, Service::kMoves, to_bytes(message));
  note_leaving();
}

void send_end(Carrier& carrier, void* result) {
  const MoveMessage message{.what = MoveMessage::kEnded,
                            .id = carrier.id,
                            .moves = carrier.moves + 1,
                            .result = reinterpret_cast<std::uint64_t>(result)};
  count_move(self(), carrier.home);
  order_output();
  carriers->node.post(carrier.home, Service::kMoves, to_bytes(message));
  note_leaving();
}

// The thread's function has returned here: what is to be done at a thread's end is done here, too.
void end_visit(Carrier& carrier, void* result) {
  run_thread_exits();
  destroy_values();
  seclude();
  {
    const std::lock_guard guard(carrier.guard);
    carrier.is_here = carrier.is_asked_to_end = false;
  }
  send_end(carrier, result);
}

void* carry(void* argument) {
  own = static_cast<Carrier*>(argument);
  call_as_visitor(tagged(WEFT_REAL(pthread_self)(), own->home));
  ensure_signal_stack();
  note_thread_memory();
  seclude();
  for (;;) {
    wait_for_message(*own);
    const PartEnd end = continue_program_part(take_arrival(*own));
    if (end.has_left != 0) {
      send_on(*own);
    } else {
      end_visit(*own, end.result);
    }
  }
}

Carrier& carrier_at_home(pthread_t id, unsigned place) {
  const std::lock_guard guard(carriers->lock);
  Carrier*& carrier = carriers->by_id[id];
  if (carrier == nullptr) carrier = new Carrier(id, self(), place);
  return *carrier;
}

// Whether all other nodes have carriers for this place.
bool equip_others(const TakenPlace& place) {
  {
    const std::lock_guard guard(carriers->lock);
    if (carriers->equipped.contains(place.number)) return true;
  }
  const Bytes wanted =
      to_bytes(CarrierWanted{self(), place.number, place.bytes, process_guard_words.canary,
                             process_guard_words.pointer_guard});
  for (NodeId node(0); node.value() < carriers->node.node_count(); ++node) {
    if (node == self()) continue;
    if (ask_about_thread(node, {}, {ThreadCall::kEquip, 0, 0, wanted}).error != 0) return false;
  }
  const std::lock_guard guard(carriers->lock);
  carriers->equipped.insert(place.number);
  return true;
}

void* call_function_of(void* start) {
  const Start own_start = *static_cast<const Start*>(start);  // this stack may stay behind
  pass_move_point();
  return call_function(own_start);
}

}  // namespace

void start_carriers(Node& node) {
  process_guard_words = present_guard_words();
  carriers = new Carriers{.node = node, .lock = {}, .by_id = {}, .equipped = {}};
  node.serve(Service::kMoves, [](NodeId, ByteView message) {
    on_message(value_of<MoveMessage>(message));
    return Bytes();
  });
}

int create_that_may_move(pthread_t* id, const pthread_attr_t* attributes, void* (*function)(void*),
                         void* argument, std::optional<unsigned>& may_move) {
  const std::optional<TakenPlace> place = take_place(attributes);
  if (!place) return WEFT_REAL(pthread_create)(id, attributes, function, argument);
  if (equip_others(*place)) may_move = place->number;
  return create_at_place(*place, id, attributes, function, argument);
}

void* run_program_part(const Start& start, unsigned place) {
  own = &carrier_at_home(tagged(WEFT_REAL(pthread_self)()), place);
  own_stay = {.is_for_good = start.is_placed};
  {
    const std::lock_guard guard(own->guard);
    own->is_here = true;
    own->is_asked_to_end = false;
    own->whereabouts = self();
  }
  PartEnd end = begin_program_part(call_function_of, const_cast<Start*>(&start));
  while (end.has_left != 0) {
    send_on(*own);
    wait_for_message(*own);
    if (own->message.what == MoveMessage::kEnded) {
      carriers->node.count_outside_threads(1);  // until its end
      const std::lock_guard guard(own->guard);
      own->is_here = true;
      return reinterpret_cast<void*>(own->message.result);
    }
    end = continue_program_part(take_arrival(*own));
  }
  return end.result;
}

Carrier* own_carrier() { return own; }
bool is_visitor() { return own != nullptr && own->home != self() && !libc::in_forked_child.load(); }

Carrier* carrier_of(pthread_t id) {
  if (carriers == nullptr) return nullptr;
  const std::lock_guard guard(carriers->lock);
  const auto found = carriers->by_id.find(id);
  return found == carriers->by_id.end() ? nullptr : found->second;
}

NodeId whereabouts_of(Carrier& carrier) {
  const std::lock_guard guard(carrier.guard);
  return carrier.whereabouts;
}

int equip(const CarrierWanted& wanted) {
  {
    const std::lock_guard guard(carriers->lock);
    for (const auto& [id, each] : carriers->by_id) {
      if (each->home == wanted.home && each->place == wanted.place) return 0;
    }
  }
  auto* const made = new Carrier({}, wanted.home, wanted.place);
  pthread_t id{};
  const TakenPlace place{.number = wanted.place, .bytes = wanted.bytes};
  const GuardWords words{wanted.canary, wanted.pointer_guard};
  const int error = create_carrier(wanted.home, place, words, &id, carry, made);
  if (error != 0) return error;
  made->id = tagged(id, wanted.home);
  const std::lock_guard guard(carriers->lock);
  carriers->by_id[made->id] = made;
  return 0;
}

}  // namespace weft::pthread
