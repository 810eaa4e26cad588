// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages between the nodes of a job. Implementations: ucx/ for memory shared by processes and for
// networks that can be trusted, stream/ for all other networks, routed/ for jobs that need both,
// and testing/in_memory, in one process.
//
// Between two nodes, each priority is a FIFO channel. Control messages pass queued data: data is
// handed to the network only while fewer than `window_bytes` of it are unacknowledged by the peer,
// so a control message waits behind one window at most (Balder, section IV).
//
// A transport is used by one thread at a time; the caller serialises. The event descriptor alone
// may be polled by any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"

namespace weft {

enum class Channel : std::uint8_t { kControl, kData };

// Whether a message wakes its receiver. A quiet one wakes it only if it has armed for all messages:
// who needs such a message polls, or sleeps and lets somebody arm for it. (Verbs would call loud
// messages "solicited".) Loud and quiet messages of one channel arrive in the order in which they
// were sent.
enum class Loudness : std::uint8_t { kLoud, kQuiet };
enum class ArmedFor : std::uint8_t { kLoud, kAll };

struct TransportCounters {
  std::uint64_t messages_sent[2] = {}, bytes_sent[2] = {};  // by channel, payload alone
  std::uint64_t messages_received[2] = {}, bytes_received[2] = {};
  std::uint64_t looks[2] = {};  // at the network, by loudness, where quiet messages go another way
  std::uint64_t acknowledgements_sent = 0;  // messages that carry nothing but the window
  std::uint64_t connections_refused = 0;    // of strangers, who could not prove the job's key

  [[nodiscard]] std::uint64_t all_sent() const { return messages_sent[0] + messages_sent[1]; }
};

// A part of a message on its way out: bytes that go with it, or bytes that are lent. Those must
// stay readable until the message has left. They may change meanwhile: when they are read is not
// said.
class MessageSegment {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a message that goes whole is one segment by itself
  MessageSegment(Bytes own) : own_(std::move(own)) {}
  explicit MessageSegment(ByteView lent) : lent_(lent), is_lent_(true) {}
  [[nodiscard]] ByteView bytes() const { return is_lent_ ? lent_ : ByteView(own_); }

 private:
  Bytes own_;
  ByteView lent_;
  bool is_lent_ = false;
};
using MessageSegments = std::vector<MessageSegment>;

// Called for each message, in order; the view is valid during the call alone. It may send.
using Receiver = std::function<void(NodeId from, ByteView message)>;

// A peer can no longer be reached; called at most once for each, while the transport is used. What
// is sent to it from then on is dropped.
using PeerFailureHandler = std::function<void(NodeId peer, const std::string& reason)>;

class Transport {
 public:
  virtual ~Transport() = default;

  // Queues a message made of the segments, one after the other. Never blocks. Where a transport has
  // no second way to the receiver, a quiet message is like any other.
  virtual void send(NodeId to, Channel channel, MessageSegments segments, Loudness loudness) = 0;
  void send(NodeId to, Channel channel, MessageSegments segments) {
    send(to, channel, std::move(segments), Loudness::kLoud);
  }
  // Makes progress, and hands over what has arrived. Returns how many messages it handed over: who
  // waits for more polls again. If nothing but loud messages is needed, quiet ones may stay where
  // they are for kPollsPerQuietLook calls, unless a loud one waits for them.
  virtual std::size_t poll(const Receiver& receiver, ArmedFor what) = 0;
  std::size_t poll(const Receiver& receiver) { return poll(receiver, ArmedFor::kAll); }
  static constexpr unsigned kPollsPerQuietLook = 8;
  // Readable once something has come since arm() returned true, whoever has polled meanwhile, in
  // vain or not: one thread may sleep on it while another polls (runtime/driver). Of quiet messages
  // it may or may not tell if it is armed for loud ones.
  [[nodiscard]] virtual int event_descriptor() const = 0;
  // Prepares for waiting on the descriptor; false if there is work already: poll() again. It arms
  // for more than that while a loud message is here and a quiet one before it is not.
  [[nodiscard]] virtual bool arm(ArmedFor what) = 0;
  // True while something that was sent goes on by poll() alone: the descriptor does not tell when
  // the peer has room for it.
  [[nodiscard]] virtual bool needs_polling() const = 0;
  // True when nothing that was sent is still queued here.
  [[nodiscard]] virtual bool drained() const = 0;
  [[nodiscard]] virtual const TransportCounters& counters() const = 0;
};

}  // namespace weft
