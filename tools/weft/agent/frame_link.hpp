// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One end of the stream of frames between launcher and agent. Nothing here blocks: what does not
// go out waits. Each end shows the other several times in the limit for silence that it lives.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "base/bytes.hpp"
#include "runtime/bootstrap/frames.hpp"
#include "weft/agent/agent_messages.hpp"
#include "weft/staging/stage_stream.hpp"

namespace weft {

class FrameLink {
 public:
  using Clock = std::chrono::steady_clock;

  // Takes over both descriptors, which may be the same file.
  FrameLink(int in, int out);
  ~FrameLink();
  FrameLink(const FrameLink&) = delete;
  FrameLink& operator=(const FrameLink&) = delete;

  // The other end finds the stream ended.
  void close();
  [[nodiscard]] int in() const { return in_; }
  [[nodiscard]] int out() const { return out_; }

  // Queues a frame, and writes what goes without blocking. Others than agents have kinds of their
  // own.
  void send(AgentMessage kind, ByteView body) { send(static_cast<std::uint8_t>(kind), body); }
  void send(std::uint8_t kind, ByteView body);
  // Before all frames go these bytes, which the shell at the other end reads before it starts the
  // agent (staging/stage_script.hpp). Call before anything is sent.
  void send_first(std::shared_ptr<const StageStream> stage) { stage_ = std::move(stage); }
  // How many of them have gone.
  [[nodiscard]] std::uint64_t staged_bytes() const { return staged_; }
  void write_some();
  [[nodiscard]] std::size_t queued_bytes() const {
    return (stage_ ? stage_->bytes() - staged_ : 0) + queue_.size() - written_;
  }
  // So much is queued that no more should be made.
  [[nodiscard]] bool is_full() const;

  // Reads what is there.
  void read_some();
  // The next whole frame that has come.
  [[nodiscard]] std::optional<StreamFrame> next() { return reader_.next(); }
  [[nodiscard]] bool makes_sense() const { return reader_.good(); }
  // False once the stream has ended or makes no sense.
  [[nodiscard]] bool is_open() const { return is_open_ && makes_sense(); }

  // --- the limit for silence ---
  // 0: there is none.
  void set_limit(std::chrono::milliseconds limit) { limit_ = limit; }
  [[nodiscard]] std::chrono::milliseconds limit() const { return limit_; }
  // How often show_life() and is_silent() are to be called; 0: not at all.
  [[nodiscard]] std::chrono::milliseconds period() const { return limit_ / 5; }
  // Sends a sign of life, if nothing else was sent in this period.
  void show_life();
  // The other end has been silent for longer than the limit. What has come is to be read before.
  [[nodiscard]] bool is_silent() const;
  // From now until something comes, silence is no fault.
  void excuse_silence() { excused_ = true; }
  [[nodiscard]] bool is_excused() const { return excused_; }

 private:
  // Writes what goes; the number of bytes, fewer if there is no room or the stream has ended.
  std::size_t write_out(ByteView bytes);
  void write_stage();

  int in_, out_;
  std::shared_ptr<const StageStream> stage_;
  std::uint64_t staged_ = 0;
  Bytes queue_;
  std::size_t written_ = 0;
  FrameReader reader_;
  bool is_open_ = true;
  std::chrono::milliseconds limit_{0};
  Clock::time_point heard_ = Clock::now(), sent_ = Clock::now();
  bool excused_ = false;
};

}  // namespace weft
