// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One node of the simulated job.
#pragma once

#include <array>
#include <functional>
#include <optional>

#include "base/locks/entrusted_locks.hpp"
#include "protocol/engine.hpp"
#include "sim/checkers/failure.hpp"
#include "sim/checkers/overwritten.hpp"
#include "sim/cluster/cluster.hpp"

namespace weft::sim {

struct Cluster::Node : Effects {
  Node(Cluster& the_cluster, const EngineConfig& config, std::uint64_t seed)
      : cluster(the_cluster),
        id(config.self),
        memory(the_cluster.initial_, seed),
        entrusted_locks(entrusted_slots, config.begins_entrusted()),
        engine(config, memory, *this, the_cluster.hosts_.add(memory)) {}

  void send(NodeId to, Priority priority, Bytes message) override {
    note_effect(static_cast<MessageType>(message.front()));
    cluster.fairness_.on_sent(id, message);
    cluster.network_.send(id, to, priority, std::move(message));
  }
  void send_with(NodeId to, Priority priority, Bytes message,
                 std::span<const ByteView> lent) override {
    note_effect();
    cluster.network_.send(id, to, priority, std::move(message), lent);
  }
  void complete(WaitId wait) override {
    note_effect();
    cluster.on_complete(*this, wait);
  }
  void complete_adding(WaitId wait, std::uint64_t right) override {
    note_effect();
    cluster.on_complete_adding(wait, right);
  }
  void complete_barrier(WaitId wait, std::uint8_t votes) override {
    cluster.on_complete_barrier(*this, wait, votes);
  }
  void complete_await(WaitId wait, std::uint64_t count) override {
    cluster.on_complete_await(*this, wait, count);
  }
  void complete_gather(WaitId wait, std::vector<Contribution> contributions) override {
    cluster.on_complete_gather(*this, wait, contributions);
  }
  void complete_atomic(WaitId wait, const AtomicResult& result) override {
    note_effect();
    cluster.on_complete_atomic(wait, result);
  }
  void try_again(WaitId wait) override { cluster.on_try_again(wait); }
  void complete_try(WaitId wait, bool taken) override { cluster.on_complete_try(wait, taken); }
  bool entrust(LockId lock) override { return entrusted_locks.entrust(lock); }
  bool call_back(LockId lock) override { return entrusted_locks.call_back(lock); }
  void show_right(LockId lock, std::uint64_t right) override {
    entrusted_locks.show_right(lock, right);
  }
  void deliver_publication(ByteView payload) override { cluster.on_publication(*this, payload); }
  void deliver_post(NodeId, ByteView payload) override { cluster.on_post(*this, payload); }

  // Nobody waits for a node that was not woken for a message. What it acquires with one concerns
  // itself: it takes pages away, whose diffs it sends, demands the diffs of others, and asks again
  // for pages that are on their way and that no thread waits for. Whatever comes also brings the
  // departures out that it holds: whoever waits for one says so by a message for which it is woken
  // (DepartureWish). A node that is not in a barrier sends no others. And one record more may begin
  // a collection, for which nobody waits. Whoever is told of a store would else ask (AtomicTold).
  void note_effect(std::optional<MessageType> sent = std::nullopt) const {
    using enum MessageType;
    const bool is_own = sent == kUpdate || sent == kUpdates || sent == kUpdatePart ||
                        sent == kUpdateDemand || sent == kFetchRequest || sent == kBarrierDepart ||
                        sent == kCollectAsk || sent == kAtomicTold;
    SIM_CHECK(!has_no_effect || is_own, "node {} was not to be woken for what others wait for",
              id.value());
  }

  // Everything that enters the engine goes through here: what it does lets other threads run.
  template <typename Call>
  void enter(Call call) {
    call(engine);
    cluster.wake_faulted(*this);
  }

  void overwrite(PageIndex page) {
    overwritten.note(page, engine.epoch());
    enter([page](Engine& of_node) { of_node.handle_overwrite({page, 1}); });
  }

  void prefetch(PageRange pages, MemoryUse use) {
    enter([=](Engine& of_node) { of_node.handle_prefetch({&pages, 1}, use); });
  }

  void name_data(LockId lock, PageIndex page) {
    const PageRange pages{page, 1};
    enter([=](Engine& of_node) { of_node.handle_lock_data(lock, {&pages, 1}); });
  }

  void commit(PageRange pages) {
    enter([=](Engine& of_node) { of_node.handle_commit({&pages, 1}); });
  }

  Cluster& cluster;
  NodeId id;
  Memory memory;
  std::array<EntrustedLocks::Slot, 8> entrusted_slots{};  // not always enough
  EntrustedLocks entrusted_locks;
  Engine engine;
  std::vector<Worker*> workers;
  Overwritten overwritten;
  unsigned arrived = 0;         // threads of this node at the barrier
  bool in_barrier = false;      // the engine is
  bool has_met_others = false;  // in a barrier
  unsigned extra = 0;           // barriers before the phase's own that it has reached
  bool in_extra = false;        // it is in one of them
  bool gathered = false;        // the last thread at the barrier has what the children bring
  Bytes contribution;           // numbers of the nodes that it is made of, in the order of the tree
  std::size_t next_phase = 0;   // that the barrier or publication under way leads to
  bool interleaving = false;
  bool has_no_effect = false;  // what is handled now: it was unneeded (Cluster::is_unneeded)
};

}  // namespace weft::sim
