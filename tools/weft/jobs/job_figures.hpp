// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a job's state comes to: sums, words and JSON, for `weft ps`, `status` and `top`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/jobs/job_state.hpp"

namespace weft {

// Of a node, or summed up over nodes.
struct Figures {
  std::uint64_t memory_bytes = 0, processor_ms = 0;
  std::uint64_t faults = 0, messages = 0, bytes = 0;  // since the start
  unsigned threads = 0, waiting = 0;

  Figures& operator+=(const Figures& more);
};
[[nodiscard]] Figures figures_of(const NodeView& node);
// Those of its threads that are known, without those that only serve the others.
[[nodiscard]] std::vector<board::ThreadSnapshot> programs_threads(const NodeView& node);
// Unknown where the node's host has not answered.
[[nodiscard]] ProcessView process_of(const NodeView& node);
[[nodiscard]] Figures figures_of(const ObservedHost& host);
[[nodiscard]] Figures figures_of(const JobState& state);
// Of all hosts.
[[nodiscard]] unsigned node_count(const JobState& state);

// "4"; "2 of 4" where the job has nodes that its launcher does not see.
[[nodiscard]] std::string nodes_text(const JobState& state);

// "running", "stopped" or "ending".
[[nodiscard]] std::string word_for(const JobState& state);
// "starting", "running", "stopped", "ending", "ended"; "unknown" if its host has not answered.
[[nodiscard]] std::string word_for(const NodeView& node);
// "a barrier", "a critical region", "page 12"; empty if it does not wait.
[[nodiscard]] std::string wait_of(const board::ThreadSnapshot& thread);
// "a barrier (2), a mutex (1)": the node's waiting threads, the most frequent first; empty: none
// waits.
[[nodiscard]] std::string waits_of(const NodeView& node);
// Which threads of which nodes wait for what, where in the program, and who holds that: the lines
// of wait_report() (weft/watch/deadlock.hpp), for the nodes that have answered.
[[nodiscard]] std::vector<std::string> wait_lines(const JobState& state);
// The hosts' names, with the number of nodes where a host has several: "ada:2,bob".
[[nodiscard]] std::string hosts_text(const JobState& state);

// What `weft ps --json` says of a job; with its nodes, what `weft status --json` says.
[[nodiscard]] std::string as_json(const std::string& name, const JobState& state, bool with_nodes);

}  // namespace weft
