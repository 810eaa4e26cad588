// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One node of a small world.
#pragma once

#include <fmt/format.h>

#include <array>

#include "base/locks/entrusted_locks.hpp"
#include "sim/checkers/describe.hpp"
#include "sim/checkers/overwritten.hpp"
#include "sim/cluster/logging_memory.hpp"
#include "sim/explore/world.hpp"

namespace weft::sim::explore {

struct World::Node : Effects {
  Node(World& the_world, const EngineConfig& config)
      : world(the_world),
        id(config.self),
        memory(make_memory(the_world)),
        entrusted_locks(entrusted_slots, config.begins_entrusted()),
        engine(config, *memory, *this, the_world.hosts_.add(*memory)) {}

  void send(NodeId to, Priority priority, Bytes message) override {
    world.send(id, to, priority, std::move(message), {});
  }
  void send_with(NodeId to, Priority priority, Bytes message,
                 std::span<const ByteView> lent) override {
    world.send(id, to, priority, std::move(message), lent);
  }
  void complete(WaitId wait) override { world.on_complete(wait); }
  void complete_adding(WaitId wait, std::uint64_t right) override {
    world.on_complete_adding(wait, right);
  }
  void complete_barrier(WaitId wait, std::uint8_t votes) override {
    world.on_complete_barrier(*this, wait, votes);
  }
  void complete_gather(WaitId wait, std::vector<Contribution> contributions) override {
    world.on_complete_gather(*this, wait, contributions);
  }
  void complete_await(WaitId wait, std::uint64_t count) override {
    world.on_complete_await(wait, count);
  }
  void complete_atomic(WaitId wait, const AtomicResult& result) override {
    world.on_complete_atomic(wait, result);
  }
  void try_again(WaitId wait) override { world.on_try_again(wait); }
  void complete_try(WaitId wait, bool taken) override { world.on_complete_try(wait, taken); }
  bool entrust(LockId lock) override { return entrusted_locks.entrust(lock); }
  bool call_back(LockId lock) override { return entrusted_locks.call_back(lock); }
  void show_right(LockId lock, std::uint64_t right) override {
    entrusted_locks.show_right(lock, right);
  }
  void deliver_publication(ByteView) override {
    ++publications;
    world.say(fmt::format("  node {}: a publication comes", id.value()));
  }
  void deliver_post(NodeId, ByteView payload) override { world.on_post(*this, payload); }

  std::unique_ptr<Memory> make_memory(World& the_world) {
    std::unique_ptr<Memory> made = make_silent_or_logging(the_world);
    if (the_world.program_.races) made->interleave = [this] { world.race(*this); };
    return made;
  }

  std::unique_ptr<Memory> make_silent_or_logging(World& the_world) {
    if (!the_world.print_) return std::make_unique<Memory>(the_world.initial_, std::nullopt);
    const auto log = [this](const std::string& line) {
      world.say(fmt::format("  node {}: {}", id.value(), line));
    };
    return std::make_unique<LoggingMemory>(the_world.initial_, log, std::nullopt);
  }

  void overwrite(PageIndex page) {
    overwritten.note(page, engine.epoch());
    world.enter(*this, [page](Engine& of_node) { of_node.handle_overwrite({page, 1}); });
  }

  void prefetch(PageIndex page, MemoryUse use) {
    const PageRange pages{page, 1};
    world.enter(*this, [=](Engine& of_node) { of_node.handle_prefetch({&pages, 1}, use); });
  }

  void name_data(LockId lock, PageIndex page) {
    const PageRange pages{page, 1};
    world.enter(*this, [=](Engine& of_node) { of_node.handle_lock_data(lock, {&pages, 1}); });
  }

  void commit(PageIndex page) {
    const PageRange pages{page, 1};
    world.enter(*this, [=](Engine& of_node) { of_node.handle_commit({&pages, 1}); });
  }

  World& world;
  NodeId id;
  std::unique_ptr<Memory> memory;
  std::array<EntrustedLocks::Slot, 8> entrusted_slots{};
  EntrustedLocks entrusted_locks;
  Engine engine;
  unsigned arrived = 0;     // threads at the barrier
  bool in_barrier = false;  // the engine is
  ThreadIndex waiting = 0;  // there
  bool brings_memory = false;
  Clock arrival;       // what it brings is of
  Bytes contribution;  // numbers of the nodes that it is made of
  unsigned publications = 0;
  Overwritten overwritten;
  std::vector<std::uint64_t> posts;  // that have come and were not taken
};

template <typename Call>
void World::enter(Node& node, Call call) {
  call(node.engine);
  const bool lost_pages = node.memory->unmap_calls() > 0;
  for (Thread& thread : threads_) {
    if (thread.node != node.id.value() || thread.state != State::kFault) continue;
    if (!node.engine.is_mapped(thread.faulted) && lost_pages) {
      // It may have come and gone again.
      node.engine.handle_fault(thread.faulted, thread.local);
    }
    if (node.engine.is_mapped(thread.faulted)) thread.state = State::kReady;
  }
  node.memory->forget_unmap_calls();
  wake_parked(node);
}

}  // namespace weft::sim::explore
