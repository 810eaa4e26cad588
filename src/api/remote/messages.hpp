// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remote memory operations and what came of them, between nodes that do not map each other's
// memory. Each packet has many of either; their data stand behind them, in their order.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/codec.hpp"
#include "base/ids.hpp"
#include "base/remote/operation.hpp"

namespace weft::remote {

// The data of one more operation.
inline void append(Bytes& data, Bytes more) {
  if (data.empty()) {
    data = std::move(more);
  } else {
    data.insert(data.end(), more.begin(), more.end());
  }
}

enum class PacketKind : std::uint8_t { kRequests, kAnswers };

struct SentNotice {
  Notice notice;
  WEFT_FIELDS(self.notice.number, self.notice.secret, self.notice.offset, self.notice.value,
              self.notice.stores)
};

// Of an atomic operation.
struct SentChange {
  AtomicOperation operation = {};
  AtomicType type = {};
  std::uint64_t operand = 0, expected = 0;
  bool wants_old = false;
  WEFT_FIELDS(self.operation, self.type, self.operand, self.expected, self.wants_old)
};

// Another node that gets the same bytes, of a multicast.
struct SentTarget {
  NodeId node;
  std::uint32_t number = 0;
  std::uint64_t secret = 0;
  std::optional<SentNotice> notice;
  WEFT_FIELDS(self.node, self.number, self.secret, self.notice)
};

struct Request {
  std::uint64_t id = 0;  // the asker's, ascending by one
  Kind kind = {};
  std::uint32_t number = 0;
  std::uint64_t secret = 0, offset = 0, stride = 0, bytes = 0, count = 0;
  std::optional<SentChange> change;
  std::optional<SentNotice> notice;
  std::vector<SentTarget> further;  // reached by way of this one
  WEFT_FIELDS(self.id, self.kind, self.number, self.secret, self.offset, self.stride, self.bytes,
              self.count, self.change, self.notice, self.further)

  // Of its data, on either way. Nothing: there is no such number.
  [[nodiscard]] std::optional<std::uint64_t> data_bytes() const {
    std::uint64_t all = 0;
    if (__builtin_mul_overflow(bytes, count, &all)) return std::nullopt;
    return all;
  }
  [[nodiscard]] bool has_data() const { return kind != Kind::kGet && kind != Kind::kAtomic; }
};

// Of so many requests, one behind the other. Only one by itself has data.
struct Answer {
  std::uint64_t first = 0, count = 1;
  std::uint8_t error = 0;  // of weft/remote.h, without its sign
  std::uint64_t data_bytes = 0;
  WEFT_FIELDS(self.first, self.count, self.error, self.data_bytes)
};

struct Answered {
  std::uint64_t packets = 0;  // of requests that these end, but for what has to wait
  std::vector<Answer> answers;
  WEFT_FIELDS(self.packets, self.answers)

  [[nodiscard]] bool is_empty() const { return packets == 0 && answers.empty(); }
  void add(const Answer& more) {
    Answer* const last = answers.empty() ? nullptr : &answers.back();
    const bool joins = last != nullptr && more.data_bytes == 0 && last->data_bytes == 0 &&
                       last->error == more.error && last->first + last->count == more.first;
    if (joins) {
      last->count += more.count;
    } else {
      answers.push_back(more);
    }
  }
  void add(Answered more) {
    packets += more.packets;
    if (answers.empty()) {
      answers = std::move(more.answers);
    } else {
      for (const Answer& answer : more.answers) add(answer);
    }
  }
};

struct Requests {
  bool may_wait = false;  // the answers: until something else goes back
  Answered answered;      // what was held of the other direction; without data
  std::vector<Request> requests;
  ByteView data;
  WEFT_FIELDS(self.may_wait, self.answered, self.requests, rest(self.data))
};

struct Answers {
  Answered answered;
  ByteView data;
  WEFT_FIELDS(self.answered, rest(self.data))
};

}  // namespace weft::remote
