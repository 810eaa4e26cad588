// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two nodes' checks, each on a thread, which hand each other's messages over under one lock.
#include "runtime/checks/protocol_check.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "base/futex.hpp"
#include "runtime/checks/plain_memory.hpp"

namespace weft {
namespace {

bool says(const std::string& sentence, const char* part) {
  return sentence.find(part) != std::string::npos;
}

class ProtocolCheckTest : public testing::Test {
 protected:
  struct Node {
    PlainMemory plain;
    NotedMemory memory{plain};
    ProtocolCheck::State state;
    std::unique_ptr<ProtocolCheck> check;
  };

  void SetUp() override {
    for (std::uint16_t number = 0; number < 2; ++number) {
      nodes_[number].check =
          std::make_unique<ProtocolCheck>(host(NodeId(number)), nodes_[number].memory);
    }
  }
  // Node 0 is the home of all pages.
  ProtocolCheck::Host host(NodeId self) {
    ProtocolCheck::Host host;
    host.self = self;
    host.node_count = 2;
    host.locked = [this](const std::function<void()>& action) {
      const std::lock_guard guard(lock_);
      action();
    };
    host.send = [this, self](NodeId to, Bytes message) {
      nodes_[to.value()].check->on_message(self, message);
    };
    host.wait_while = [](const std::atomic<std::uint32_t>& word, std::uint32_t value) {
      while (word.load() == value) futex_wait(word, value);
    };
    host.state = [this, self] { return nodes_[self.value()].state; };
    host.home_of = [](PageIndex) { return NodeId(0); };
    host.place_name = [](PageIndex, std::size_t byte) { return "x + " + std::to_string(byte); };
    host.fail = [](const std::string& sentence) { throw std::runtime_error(sentence); };
    return host;
  }
  // The sentence with which the job ends; empty if it goes on.
  std::string round() {
    std::string sentence;
    std::thread other([this] { nodes_[1].check->at_rest(); });
    try {
      nodes_[0].check->at_rest();
    } catch (const std::runtime_error& error) {
      sentence = error.what();
      nodes_[1].check->on_message(NodeId(0), Bytes(1, std::byte{4}));  // it may go
    }
    other.join();
    return sentence;
  }
  void give_copy(PageIndex page) {
    nodes_[1].memory.install(page, nodes_[0].plain.contents(page));
    nodes_[1].memory.map_tracked({page, 1}, Twin::kPresent);
  }

  std::recursive_mutex lock_;
  Node nodes_[2];
};

TEST_F(ProtocolCheckTest, EqualCopiesPass) {
  for (unsigned page = 0; page < 3000; page += 2) {
    nodes_[0].plain.at(PageIndex(page))[7] = static_cast<std::byte>(page);
    give_copy(PageIndex(page));
  }
  EXPECT_EQ(round(), "");
  EXPECT_EQ(round(), "");
}

TEST_F(ProtocolCheckTest, WhatACopyLacksIsNamed) {
  for (unsigned page = 0; page < 2500; ++page) give_copy(PageIndex(page));
  nodes_[0].plain.at(PageIndex(2047))[100] = std::byte{0x2a};
  const std::string sentence = round();
  EXPECT_TRUE(says(sentence, "node 1 and node 0, the home of page 2047, differ in 1 bytes"))
      << sentence;
  EXPECT_TRUE(says(sentence, "x + 100: 0x00 at node 1, 0x2a at its home")) << sentence;
  EXPECT_TRUE(says(sentence, "At node 1: installed in epoch 0")) << sentence;
}

// What the copy's own threads have written since is released later.
TEST_F(ProtocolCheckTest, OwnWritesAreNoDifference) {
  give_copy(PageIndex(3));
  nodes_[1].plain.at(PageIndex(3))[5] = std::byte{1};
  EXPECT_EQ(round(), "");
}

TEST_F(ProtocolCheckTest, NothingIsSaidWhileOtherThreadsRun) {
  give_copy(PageIndex(3));
  nodes_[0].plain.at(PageIndex(3))[5] = std::byte{1};
  nodes_[1].state.others_here = true;
  EXPECT_EQ(round(), "");
}

}  // namespace
}  // namespace weft
