// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A FIFO in memory that processes share: a ring of places. Each has a turn, which says whether it
// is to be written or to be read, and in which round (D. Vyukov, "Bounded MPMC queue", 2010). A
// writer takes a place by moving the end, and then fills it; so writers do not wait for each other,
// and a reader waits for the oldest message alone.
//
//   place i in round r:   turn = r * n + i: to be written   ... + 1: to be read
//
// A message is as late as the cache lines that change processors for it, one behind the other. So
// places share no line, and either side asks for all lines of a message at once, to write to them,
// before the step that makes a processor wait for what it has stored.
//
// The numbers of places and bytes are the owner's (table.hpp), not in memory that writers have.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/addresses.hpp"

namespace weft::remote {

class Fifo {
 public:
  // With one place, "written" and "to be written again" would be the same turn.
  static constexpr std::uint64_t kFewestMessages = 2;

  // In memory of footprint() bytes, all zero to begin with.
  Fifo(std::byte* memory, std::uint32_t messages, std::uint32_t most_bytes)
      : ends_(reinterpret_cast<Ends*>(memory)),
        places_(memory + sizeof(Ends)),
        messages_(messages),
        most_bytes_(most_bytes) {}

  [[nodiscard]] static constexpr std::uint64_t footprint(std::uint64_t messages,
                                                         std::uint64_t most_bytes) {
    return sizeof(Ends) + messages * place_bytes(most_bytes);
  }

  // Before anybody uses it.
  void begin() {
    for (std::uint64_t i = 0; i < messages_; ++i) place(i).turn.store(i);
  }

  // False: it is full. The message has at most as many bytes as there is room for.
  [[nodiscard]] bool append(const void* message, std::uint32_t bytes, std::uint32_t from) {
    std::uint64_t position = ends_->written.load(std::memory_order_relaxed);
    for (;;) {
      Place& next = place(position);
      ask_to_write(next, bytes);
      const auto ahead =
          static_cast<std::int64_t>(next.turn.load(std::memory_order_acquire) - position);
      if (ahead < 0) return false;
      if (ahead > 0) {
        position = ends_->written.load(std::memory_order_relaxed);
      } else if (ends_->written.compare_exchange_weak(position, position + 1)) {
        next.bytes = bytes;
        next.from = from;
        std::memcpy(&next + 1, message, bytes);
        next.turn.store(position + 1);
        return true;
      }
    }
  }

  // False: it is empty. Copies at most so many bytes.
  [[nodiscard]] bool take(void* into, std::size_t room, std::size_t& bytes, std::uint32_t& from) {
    std::uint64_t position = ends_->read.load(std::memory_order_relaxed);
    for (;;) {
      Place& next = place(position);
      const auto ahead =
          static_cast<std::int64_t>(next.turn.load(std::memory_order_acquire) - (position + 1));
      if (ahead < 0) return false;
      ask_to_write(next, next.bytes);
      if (ahead > 0) {
        position = ends_->read.load(std::memory_order_relaxed);
      } else if (ends_->read.compare_exchange_weak(position, position + 1)) {
        bytes = next.bytes < most_bytes_ ? next.bytes : most_bytes_;
        from = next.from;
        std::memcpy(into, &next + 1, bytes < room ? bytes : room);
        next.turn.store(position + messages_);
        return true;
      }
    }
  }

 private:
  struct Ends {
    alignas(64) std::atomic<std::uint64_t> written{0};
    alignas(64) std::atomic<std::uint64_t> read{0};
  };
  struct Place {
    std::atomic<std::uint64_t> turn{0};
    std::uint32_t bytes = 0, from = 0;
  };

  static constexpr std::uint64_t kLine = 64;

  // Of the first lines: the processor brings the others as they are copied.
  static void ask_to_write(const Place& place, std::uint64_t bytes) {
    constexpr std::uint64_t kMost = 4 * kLine;
    const auto* const begin = reinterpret_cast<const std::byte*>(&place);
    const std::uint64_t end = sizeof(Place) + bytes;
    for (std::uint64_t at = 0; at < end && at < kMost; at += kLine) {
      __builtin_prefetch(begin + at, 1);
    }
  }
  [[nodiscard]] static constexpr std::uint64_t place_bytes(std::uint64_t most_bytes) {
    return (sizeof(Place) + most_bytes + kLine - 1) & ~(kLine - 1);
  }
  [[nodiscard]] Place& place(std::uint64_t position) const {
    return *reinterpret_cast<Place*>(places_ + position % messages_ * place_bytes(most_bytes_));
  }

  Ends* ends_;
  std::byte* places_;
  std::uint32_t messages_, most_bytes_;
};

}  // namespace weft::remote
