// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/run.hpp"

#include "sim/checkers/failure.hpp"
#include "sim/cluster/cluster.hpp"

namespace weft::sim {

Outcome run_seed(std::uint64_t seed, const LinePrinter& print,
                 [[maybe_unused]] CoverageTable* table) {
  Outcome outcome;
  Trace trace;
  trace.print = print;
  try {
    Cluster cluster(seed, trace);
    outcome.node_count = cluster.plan().config.node_count;
    try {
      cluster.run();
    } catch (const Failure& failure) {
      outcome.failure = failure.what();
    }
    outcome.event_count = cluster.event_count();
    outcome.counters = cluster.counters();
#ifdef WEFT_DELIBERATE_BUGS
    if (table) cluster.add_coverage(*table);
#endif
  } catch (const Failure& failure) {
    outcome.failure = failure.what();
  }
  outcome.trace_hash = trace.hash();
  return outcome;
}

Outcome run_seed_twice(std::uint64_t seed) {
  const Outcome first = run_seed(seed);
  Outcome second = run_seed(seed);
  if (first.trace_hash != second.trace_hash && !second.failure) {
    second.failure = "two runs of this seed differ";
  }
  return second;
}

}  // namespace weft::sim
