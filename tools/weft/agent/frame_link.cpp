// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/agent/frame_link.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace weft {
namespace {

constexpr std::size_t kFullBytes = std::size_t{1} << 20;
// Of a stage, before others have their turn.
constexpr std::uint64_t kStageBytes = std::uint64_t{1} << 20;

}  // namespace

FrameLink::FrameLink(int in, int out) : in_(in), out_(out) {
  for (const int each : {in_, out_}) fcntl(each, F_SETFL, fcntl(each, F_GETFL) | O_NONBLOCK);
}

FrameLink::~FrameLink() { close(); }

void FrameLink::close() {
  is_open_ = false;
  if (in_ >= 0) ::close(in_);
  if (out_ >= 0 && out_ != in_) ::close(out_);
  in_ = out_ = -1;
}

bool FrameLink::is_full() const { return queued_bytes() > kFullBytes; }

void FrameLink::send(std::uint8_t kind, ByteView body) {
  if (!is_open_) return;
  const Bytes frame = encode_frame(kind, body);
  queue_.insert(queue_.end(), frame.begin(), frame.end());
  write_some();
}

std::size_t FrameLink::write_out(ByteView bytes) {
  std::size_t written = 0;
  while (is_open_ && written < bytes.size()) {
    const ssize_t count = write(out_, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) break;
    if (count < 0) {
      is_open_ = false;
      break;
    }
    written += static_cast<std::size_t>(count);
    sent_ = Clock::now();
  }
  return written;
}

void FrameLink::write_stage() {
  const std::uint64_t pause = staged_ + kStageBytes;
  for (ByteView next = stage_->from(staged_); !next.empty(); next = stage_->from(staged_)) {
    const ByteView now = next.first(std::min<std::uint64_t>(next.size(), pause - staged_));
    const std::size_t count = write_out(now);
    staged_ += count;
    if (count < now.size() || staged_ == pause) return;
  }
}

void FrameLink::write_some() {
  if (stage_) {
    write_stage();
    if (staged_ < stage_->bytes()) return;
  }
  written_ += write_out(ByteView(queue_).subspan(written_));
  if (written_ < queue_.size()) return;
  queue_.clear();
  written_ = 0;
}

void FrameLink::read_some() {
  std::byte buffer[65536];
  while (is_open_) {
    const ssize_t count = read(in_, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      is_open_ = false;
      return;
    }
    reader_.append(ByteView(buffer, static_cast<std::size_t>(count)));
    heard_ = Clock::now();
    excused_ = false;
    if (static_cast<std::size_t>(count) < sizeof buffer) return;
  }
}

void FrameLink::show_life() {
  if (limit_.count() == 0) return;
  if (queued_bytes() == 0 && Clock::now() - sent_ >= period() / 2) send(AgentMessage::kAlive, {});
}

bool FrameLink::is_silent() const {
  return limit_.count() != 0 && !excused_ && Clock::now() - heard_ > limit_;
}

}  // namespace weft
