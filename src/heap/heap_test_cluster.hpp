// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test support: the heaps of several nodes over one piece of ordinary memory, in one process.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "heap/heap.hpp"

namespace weft::heap {

class TestCluster {
 public:
  TestCluster(unsigned node_count, std::size_t bytes)
      : memory_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)),
        bytes_(bytes),
        layout_(reinterpret_cast<std::uintptr_t>(memory_), bytes, node_count) {
    for (unsigned node = 0; node < node_count; ++node) {
      const NodeId id(static_cast<std::uint16_t>(node));
      peers_.push_back(std::make_unique<Peers>(*this, id));
      heaps_.push_back(std::make_unique<Heap>(layout_, id, *peers_.back()));
    }
  }
  ~TestCluster() {
    heaps_.clear();
    munmap(memory_, bytes_);
  }

  void cache_blocks() {
    for (auto& heap : heaps_) heap->cache_blocks();
  }
  [[nodiscard]] Heap& at(unsigned node) { return *heaps_[node]; }
  [[nodiscard]] const HeapLayout& layout() const { return layout_; }
  [[nodiscard]] unsigned owner(const void* block) const {
    return layout_.owner(reinterpret_cast<std::uintptr_t>(block)).value();
  }

  // Hands over the messages that were sent.
  void deliver() {
    std::vector<Message> messages;
    {
      const std::lock_guard lock(mutex_);
      messages.swap(messages_);
    }
    for (const Message& m : messages) heaps_[m.to.value()]->handle_free(m.from, m.bytes);
  }
  // What a barrier of the whole job does.
  void barrier() {
    for (auto& heap : heaps_) heap->flush();
    deliver();
    ++epoch_;
  }
  [[nodiscard]] std::vector<std::string> warnings() {
    const std::lock_guard lock(mutex_);
    return warnings_;
  }
  [[nodiscard]] std::size_t messages_waiting() {
    const std::lock_guard lock(mutex_);
    return messages_.size();
  }

 private:
  class Peers : public HeapPeers {
   public:
    Peers(TestCluster& cluster, NodeId self) : cluster_(cluster), self_(self) {}
    [[nodiscard]] std::uint32_t epoch() const override { return cluster_.epoch_; }
    void send_free(NodeId owner, Bytes message) override {
      const std::lock_guard lock(cluster_.mutex_);
      cluster_.messages_.push_back(Message{self_, owner, std::move(message)});
    }
    [[noreturn]] void fail(const std::string& sentence) override {
      throw std::runtime_error(sentence);
    }
    void warn(const std::string& sentence) override {
      const std::lock_guard lock(cluster_.mutex_);
      cluster_.warnings_.push_back(sentence);
    }

   private:
    TestCluster& cluster_;
    NodeId self_;
  };
  struct Message {
    NodeId from, to;
    Bytes bytes;
  };

  void* memory_;
  std::size_t bytes_;
  HeapLayout layout_;
  std::atomic<std::uint32_t> epoch_ = 1;
  std::mutex mutex_;
  std::vector<Message> messages_;
  std::vector<std::string> warnings_;
  std::vector<std::unique_ptr<Peers>> peers_;
  std::vector<std::unique_ptr<Heap>> heaps_;
};

}  // namespace weft::heap
