// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the nodes print, put into one order. Bytes are handed in as they are read from the nodes'
// pipes; each line takes its place when its end has come, and nothing overtakes it from there on.
// So a line that was read before another was printed comes before it, which is what nodes rely on
// when they let each other go on: they wait until the launcher has emptied their pipes. Lines of
// different nodes share a line of output only if the one had its place before the other was
// printed.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

// What each line begins with, in this order: "[2 ada 12:34:56.789] ". The time is that at which the
// launcher has the line.
struct LabelParts {
  bool node = false, host = false, time = false;

  [[nodiscard]] bool any() const { return node || host || time; }
};

class Output {
 public:
  // `hosts`: of each node the host's name, by number.
  Output(std::vector<std::string> hosts, LabelParts label);

  // Stream 0 is standard output, 1 standard error.
  void append(unsigned node, int stream, std::string_view bytes);
  // Gives an unfinished line its place: the stream has ended, or somebody waits for an answer.
  void flush_line(unsigned node, int stream);
  // The same, and what is printed next goes on with it, unless lines have labels: whoever prints it
  // has waited for this.
  void settle_line(unsigned node, int stream);
  [[nodiscard]] bool has_partial_line(unsigned node, int stream) const;
  // A line of the launcher's own, for standard error.
  void announce(std::string_view sentence);

  // The descriptor that the oldest bytes wait for, or -1 if everything is written.
  [[nodiscard]] int waiting_for() const;
  // Writes as much as does not block.
  void write_some();
  // Drops what waits, and all that comes.
  void drop();
  // True if so much waits that no more should be read from the nodes.
  [[nodiscard]] bool is_full() const;
  // True once nobody reads the stream any more; what comes for it is dropped.
  [[nodiscard]] bool is_broken(int stream) const { return broken_[stream]; }

 private:
  struct Chunk {
    int stream;
    std::string bytes;
  };

  // Besides the nodes' numbers. Nodes may go on with a line that is anybody's.
  static constexpr int kLauncher = -2, kNobody = -1, kAnybody = -3;

  void enqueue(int author, int stream, std::string_view bytes);
  [[nodiscard]] std::string label_of(int author) const;
  [[nodiscard]] std::string& partial(unsigned node, int stream);

  std::vector<std::string> hosts_;  // by node
  LabelParts label_;
  std::vector<std::string> partial_;  // by node and stream
  std::deque<Chunk> queue_;
  std::size_t queued_bytes_ = 0, written_of_first_ = 0;
  int unfinished_line_of_[2] = {kNobody, kNobody};  // whose line the stream ends in
  bool broken_[2] = {};
};

}  // namespace weft
