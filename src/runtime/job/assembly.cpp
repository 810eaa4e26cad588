// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/job/assembly.hpp"

#include <cstdio>
#include <utility>

#include "memory/exposed/host_memory.hpp"
#include "memory/watching/back_end.hpp"
#include "runtime/job/meeting.hpp"
#include "runtime/options/policies.hpp"

namespace weft {
namespace {

Result<std::unique_ptr<WatchedMemory>> watch_region(const AssemblyInput& input, NodeId self) {
  const Result<BackEnd> back_end = choose_back_end(
      {.name = input.options.back_end, .by_signal = input.options.faults_by_signal});
  if (!back_end) return Failure{back_end.error()};
  if (input.options.verbose) {
    std::fprintf(stderr, "weft: node %u: pages are watched by %s\n", self.value(),
                 back_end.value().description().c_str());
  }
  Result<std::unique_ptr<PageWatcher>> watcher = make_watcher(back_end.value(), input.region);
  if (!watcher) return Failure{watcher.error()};
  const MemoryOptions options{.limit_bytes = input.options.memory, .fail = input.fail};
  return WatchedMemory::create(input.region, std::move(watcher.value()), options);
}

Result<EngineConfig> engine_config(const AssemblyInput& input, const Bootstrap& bootstrap) {
  EngineConfig engine;
  engine.self = bootstrap.self();
  engine.node_count = static_cast<std::uint16_t>(bootstrap.node_count());
  engine.page_count = input.region.page_count();
  engine.initial_homes = input.layout.initial_homes();
  return with_policies(std::move(engine), input.options);
}

}  // namespace

Result<std::unique_ptr<Driver>> assemble_driver(AssemblyInput input,
                                                std::unique_ptr<Bootstrap>& bootstrap) {
  Result<EngineConfig> engine = engine_config(input, *bootstrap);
  if (!engine) return Failure{engine.error()};
  auto memory = watch_region(input, bootstrap->self());
  if (!memory) return Failure{memory.error()};
  auto exposed = HostMemory::create(bootstrap->self(), engine.value().node_count,
                                    engine.value().page_count, input.region.descriptor());
  if (!exposed) return Failure{exposed.error()};
  auto transport = meet_other_nodes(*bootstrap, input.options, std::move(input.fingerprint),
                                    *exposed.value(), input.on_peer_failure);
  if (!transport) return Failure{transport.error()};
  return std::make_unique<Driver>(
      Driver::Parts{.stack_slots = input.layout.slots_per_node(),
                    .bootstrap = std::move(bootstrap),
                    .memory = std::move(memory.value()),
                    .transport = std::move(transport.value()),
                    .engine = std::move(engine.value()),
                    .exposed = std::move(exposed.value()),
                    .checks_protocol = input.options.check == "protocol",
                    .sleeps = input.options.sleeps,
                    .service_goes_first = input.options.service_goes_first});
}

}  // namespace weft
