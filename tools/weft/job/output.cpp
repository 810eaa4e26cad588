// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/job/output.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "weft/text/durations.hpp"

namespace weft {
namespace {

constexpr std::size_t kFullBytes = std::size_t{1} << 20;
// A longer line is passed on in pieces.
constexpr std::size_t kLongestLineBytes = std::size_t{1} << 20;
// A pipe that is ready takes so much without blocking (PIPE_BUF).
constexpr std::size_t kWriteBytes = 4096;

}  // namespace

Output::Output(std::vector<std::string> hosts, LabelParts label)
    : hosts_(std::move(hosts)), label_(label), partial_(2 * hosts_.size()) {}

std::string& Output::partial(unsigned node, int stream) {
  return partial_[2 * node + static_cast<unsigned>(stream)];
}

bool Output::has_partial_line(unsigned node, int stream) const {
  return !partial_[2 * node + static_cast<unsigned>(stream)].empty();
}

void Output::append(unsigned node, int stream, std::string_view bytes) {
  std::string& begun = partial(node, stream);
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) break;
    begun += bytes.substr(0, end + 1);
    enqueue(static_cast<int>(node), stream, begun);
    begun.clear();
    bytes.remove_prefix(end + 1);
  }
  begun += bytes;
  if (begun.size() > kLongestLineBytes) flush_line(node, stream);
}

void Output::flush_line(unsigned node, int stream) {
  const std::string begun = std::exchange(partial(node, stream), {});
  if (!begun.empty()) enqueue(static_cast<int>(node), stream, begun);
}

void Output::settle_line(unsigned node, int stream) {
  flush_line(node, stream);
  if (!label_.any() && unfinished_line_of_[stream] == static_cast<int>(node)) {
    unfinished_line_of_[stream] = kAnybody;
  }
}

void Output::announce(std::string_view sentence) {
  enqueue(kLauncher, 1, fmt::format("{}\n", sentence));
}

std::string Output::label_of(int author) const {
  if (author == kLauncher) return "weft: ";
  std::vector<std::string> parts;
  if (label_.node) parts.push_back(std::to_string(author));
  if (label_.host) parts.push_back(hosts_[static_cast<std::size_t>(author)]);
  if (label_.time) parts.push_back(time_of_day(std::chrono::system_clock::now()));
  return parts.empty() ? "" : fmt::format("[{}] ", fmt::join(parts, " "));
}

void Output::enqueue(int author, int stream, std::string_view bytes) {
  if (broken_[stream]) return;
  std::string text;
  const int unfinished =
      std::exchange(unfinished_line_of_[stream], bytes.ends_with('\n') ? kNobody : author);
  const bool goes_on = unfinished == author || (unfinished == kAnybody && author >= 0);
  if (unfinished != kNobody && !goes_on) text += '\n';
  if (!goes_on) text += label_of(author);
  text += bytes;
  // Neighbouring lines of one stream are written together.
  if (queue_.empty() || queue_.back().stream != stream ||
      queue_.back().bytes.size() > kFullBytes / 16) {
    queue_.push_back(Chunk{stream, {}});
  }
  queued_bytes_ += text.size();
  queue_.back().bytes += text;
}

int Output::waiting_for() const {
  if (queue_.empty()) return -1;
  return queue_.front().stream == 0 ? STDOUT_FILENO : STDERR_FILENO;
}

void Output::drop() {
  for (bool& each : broken_) each = true;
  queue_.clear();
  queued_bytes_ = written_of_first_ = 0;
}

bool Output::is_full() const { return queued_bytes_ > kFullBytes; }

void Output::write_some() {
  while (!queue_.empty()) {
    const Chunk& first = queue_.front();
    pollfd ready = {waiting_for(), POLLOUT, 0};
    if (poll(&ready, 1, 0) <= 0) return;
    const std::size_t rest = first.bytes.size() - written_of_first_;
    const ssize_t count =
        write(ready.fd, first.bytes.data() + written_of_first_, std::min(rest, kWriteBytes));
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (count < 0) broken_[first.stream] = true;
    // A broken stream swallows what was meant for it.
    const std::size_t done = count < 0 ? rest : static_cast<std::size_t>(count);
    written_of_first_ += done;
    queued_bytes_ -= done;
    if (written_of_first_ < first.bytes.size()) continue;
    queue_.pop_front();
    written_of_first_ = 0;
  }
}

}  // namespace weft
