// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes with the product's engine and one thread each, on a LogGP network. The engine runs beside
// its node's thread, one piece of work after the other. Nothing is left to chance.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sim/scaling/loggp.hpp"
#include "sim/scaling/program.hpp"
#include "sim/scaling/protocol_memory.hpp"

namespace weft::scaling {

// Of all nodes together.
struct Totals {
  Nanoseconds time = 0;    // until the last thread was done
  TimeByActivity spent{};  // by the threads
  EngineCounters counters;
  std::int64_t memory = 0;                 // of the engines, at the end
  std::int64_t most_memory_of_a_node = 0;  // at any time
};

class ModelJob {
 public:
  using Main = std::function<Program(Thread&)>;

  ModelJob(const LogGP& model, std::uint16_t node_count, std::uint64_t page_count,
           const Main& main);
  ~ModelJob();

  // Until all threads are done and nothing is under way.
  Totals run();

 private:
  class Node;

  void happen(const Event& event);
  [[nodiscard]] Totals totals() const;

  // Outlive everything, since a message is freed at another node than the one that pays for it.
  std::vector<MemoryAccount> accounts_;
  LogGP model_;
  Agenda agenda_;
  LogGPNetwork network_;
  std::vector<std::unique_ptr<Node>> nodes_;
  Nanoseconds now_ = 0;
};

}  // namespace weft::scaling
