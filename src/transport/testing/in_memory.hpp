// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests, the in-memory twin of ucx/: the transports of several nodes in one process. It makes
// the same frames, so that windows and priorities are those of the real one. Each node may be
// driven by its own thread; driven by one thread, everything that happens is determined.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "transport/flow.hpp"
#include "transport/transport.hpp"

namespace weft {

class InMemoryHub {
 public:
  explicit InMemoryHub(std::size_t node_count, const FlowOptions& options = {});
  ~InMemoryHub();
  InMemoryHub(const InMemoryHub&) = delete;
  InMemoryHub& operator=(const InMemoryHub&) = delete;

  // The transport of one node; lives as long as the hub.
  [[nodiscard]] Transport& transport(NodeId node);
  // The same for those who want to own it; not to be used once the hub is gone.
  [[nodiscard]] std::unique_ptr<Transport> lend(NodeId node);

  // While the node's quiet frames are held, none arrives, and loud ones overtake them. Any thread.
  void hold_quiet(NodeId node, bool holds);
  // How the node waits. Any thread.
  struct Waking {
    std::optional<ArmedFor> armed;  // since nothing has woken it
    std::uint64_t wake_ups = 0;     // so far
    std::size_t quiet_frames = 0;   // that it has not taken yet
  };
  [[nodiscard]] Waking waking(NodeId node) const;

 private:
  class Port;
  std::vector<std::unique_ptr<Port>> ports_;
};

}  // namespace weft
