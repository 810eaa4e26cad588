// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/remote/fifo.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace weft::remote {
namespace {

// A FIFO in memory of its own.
class Ring {
 public:
  Ring(std::uint32_t messages, std::uint32_t most_bytes)
      : memory_(Fifo::footprint(messages, most_bytes) + 64),
        fifo_(aligned(), messages, most_bytes) {
    fifo_.begin();
  }
  Fifo& fifo() { return fifo_; }

  bool append(const std::string& text, std::uint32_t from = 0) {
    return fifo_.append(text.data(), static_cast<std::uint32_t>(text.size()), from);
  }
  // "-": it is empty.
  std::string take(std::size_t room = 100) {
    std::string text(room, '.');
    std::size_t bytes = 0;
    std::uint32_t from = 0;
    if (!fifo_.take(text.data(), room, bytes, from)) return "-";
    last_from_ = from;
    last_bytes_ = bytes;
    return text.substr(0, std::min(bytes, room));
  }
  std::uint32_t last_from_ = 0;
  std::size_t last_bytes_ = 0;

 private:
  std::byte* aligned() {
    const auto at = reinterpret_cast<std::uintptr_t>(memory_.data());
    return memory_.data() + (64 - at % 64) % 64;
  }

  std::vector<std::byte> memory_;
  Fifo fifo_;
};

TEST(Fifo, KeepsMessagesInOrderRoundAfterRound) {
  Ring ring(3, 10);
  EXPECT_EQ(ring.take(), "-");
  for (int round = 0; round < 10; ++round) {
    const std::string number = std::to_string(round);
    EXPECT_TRUE(ring.append("a" + number, 7));
    EXPECT_TRUE(ring.append(""));
    EXPECT_TRUE(ring.append("0123456789"));
    EXPECT_FALSE(ring.append("b"));
    EXPECT_EQ(ring.take(), "a" + number);
    EXPECT_EQ(ring.last_from_, 7U);
    EXPECT_TRUE(ring.append("b"));
    EXPECT_EQ(ring.take(), "");
    EXPECT_EQ(ring.take(), "0123456789");
    EXPECT_EQ(ring.take(), "b");
    EXPECT_EQ(ring.take(), "-");
  }
}

TEST(Fifo, CutsWhatThereIsNoRoomFor) {
  Ring ring(2, 10);
  EXPECT_TRUE(ring.append("0123456789"));
  EXPECT_EQ(ring.take(4), "0123");
  EXPECT_EQ(ring.last_bytes_, 10U);
  EXPECT_EQ(ring.take(), "-");
}

TEST(Fifo, HasManyWriters) {
  constexpr std::uint32_t kWriters = 4, kMessages = 5000;
  for (const std::uint32_t room : {2U, 7U, 64U}) {
    Ring ring(room, sizeof(std::uint32_t));
    std::vector<std::thread> writers;
    for (std::uint32_t writer = 0; writer < kWriters; ++writer) {
      writers.emplace_back([&ring, writer] {
        for (std::uint32_t i = 0; i < kMessages; ++i) {
          while (!ring.fifo().append(&i, sizeof i, writer)) std::this_thread::yield();
        }
      });
    }
    std::uint32_t next[kWriters] = {};
    for (std::uint32_t taken = 0; taken < kWriters * kMessages;) {
      std::uint32_t message = 0, from = 0;
      std::size_t bytes = 0;
      if (!ring.fifo().take(&message, sizeof message, bytes, from)) {
        std::this_thread::yield();
        continue;
      }
      ASSERT_LT(from, kWriters);
      ASSERT_EQ(message, next[from]);
      ASSERT_EQ(bytes, sizeof message);
      ++next[from];
      ++taken;
    }
    for (std::thread& writer : writers) writer.join();
  }
}

}  // namespace
}  // namespace weft::remote
