// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/remote_frees.hpp"

#include <algorithm>
#include <utility>

namespace weft::heap {
namespace {

constexpr std::size_t kBatch = 64;

}  // namespace

std::vector<std::uintptr_t> Outbox::add(NodeId owner, std::uintptr_t block) {
  const std::lock_guard lock(mutex_);
  std::vector<std::uintptr_t>& waiting = blocks_[owner.value()];
  waiting.push_back(block);
  count_.fetch_add(1, std::memory_order_relaxed);
  if (waiting.size() < kBatch && block % kPageBytes != 0) return {};
  count_.fetch_sub(waiting.size(), std::memory_order_relaxed);
  return std::exchange(waiting, {});
}

std::vector<std::uintptr_t> Outbox::take(NodeId owner) {
  const std::lock_guard lock(mutex_);
  count_.fetch_sub(blocks_[owner.value()].size(), std::memory_order_relaxed);
  return std::exchange(blocks_[owner.value()], {});
}

Quarantine::~Quarantine() {
  for (Arrival* arrival = arrivals_.load(); arrival != nullptr;) {
    delete std::exchange(arrival, arrival->next);
  }
}

void Quarantine::arrive(NodeId by, FreeMessage message) {
  auto* arrival = new Arrival{by, std::move(message), arrivals_.load(std::memory_order_relaxed)};
  while (!arrivals_.compare_exchange_weak(arrival->next, arrival, std::memory_order_release,
                                          std::memory_order_relaxed)) {
  }
}

std::vector<Quarantine::Freed> Quarantine::take_before(std::uint32_t epoch) {
  if (arrivals_.load(std::memory_order_relaxed) == nullptr &&
      (waiting_empty_.load(std::memory_order_relaxed) ||
       settled_epoch_.load(std::memory_order_relaxed) >= epoch)) {
    return {};
  }
  const std::lock_guard lock(mutex_);
  Arrival* arrival = arrivals_.exchange(nullptr, std::memory_order_acquire);
  while (arrival != nullptr) {
    for (const std::uintptr_t block : arrival->message.blocks) {
      waiting_.push_back(Freed{block, arrival->message.epoch, arrival->by});
    }
    delete std::exchange(arrival, arrival->next);
  }
  const auto ready = std::partition(waiting_.begin(), waiting_.end(),
                                    [epoch](const Freed& freed) { return freed.epoch >= epoch; });
  std::vector<Freed> taken(ready, waiting_.end());
  waiting_.erase(ready, waiting_.end());
  waiting_empty_ = waiting_.empty();
  settled_epoch_ = epoch;
  return taken;
}

}  // namespace weft::heap
