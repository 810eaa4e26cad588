// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts the parts of a node together around its driver: for programs that Weft takes over (job.cpp),
// and for processes that join a job by themselves (src/binding).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "runtime/addresses/layout.hpp"
#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/options/options.hpp"

namespace weft {

struct AssemblyInput {
  const NodeOptions& options;
  const Layout& layout;
  Region& region;  // of this layout
  // What has to be the same on all nodes, in words.
  std::vector<std::string> fingerprint;
  // Ends the process with this sentence, at any later time.
  void (*fail)(const std::string& sentence);
  PeerFailureHandler on_peer_failure;
};

// Watches the region, meets the other nodes and makes the driver, which is not started. Blocks
// until all nodes are here. The driver takes the bootstrap; after a failure it is still the
// caller's.
[[nodiscard]] Result<std::unique_ptr<Driver>> assemble_driver(
    AssemblyInput input, std::unique_ptr<Bootstrap>& bootstrap);

}  // namespace weft
