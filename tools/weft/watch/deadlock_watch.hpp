// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The looks at a running job by which it is found to be stuck (deadlock.hpp): asks all hosts, and
// puts their answers together. One question at a time: an answer that comes after the next one was
// asked is dropped.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "weft/watch/deadlock.hpp"

namespace weft {

class DeadlockWatch {
 public:
  using Ask = std::function<void(const ViewQuestion& question)>;

  // `ask` asks all hosts; their answers go to on_views(), also while it runs.
  DeadlockWatch(unsigned nodes, Ask ask) : ask_(std::move(ask)), nodes_(nodes) {}

  // At regular times. What did not answer since the last one, moves.
  void look();
  void on_views(const HostViews& views);

  // Once for each time that the job got stuck: all nodes, with the words for their addresses.
  [[nodiscard]] std::optional<std::vector<NodeView>> take_finding() {
    return std::exchange(finding_, std::nullopt);
  }
  // Once after each finding after which something moves again.
  [[nodiscard]] bool take_movement() { return finder_.take_movement(); }

 private:
  void begin(bool texts);
  void conclude();

  Ask ask_;
  const unsigned nodes_;
  DeadlockFinder finder_;
  std::uint64_t number_ = 0;  // of the question under way
  bool is_under_way_ = false, wants_texts_ = false;
  std::vector<NodeView> views_;  // that have come
  std::optional<std::vector<NodeView>> finding_;
};

}  // namespace weft
