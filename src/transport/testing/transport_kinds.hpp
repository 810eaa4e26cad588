// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests: some nodes' transports of one kind, in this process, that know each other.
#pragma once

#include <memory>
#include <vector>

#include "transport/flow.hpp"
#include "transport/testing/in_memory.hpp"

namespace weft {

enum class TransportKind {
  kInMemory,
  kUcxSharedMemory,
  kUcxTcp,
  kUcxDelayed,
  kTls,
  kPlainStream,
  kRouted,  // UCX over shared memory and TLS
};

inline constexpr TransportKind kTransportKinds[] = {
    TransportKind::kInMemory, TransportKind::kUcxSharedMemory,
    TransportKind::kUcxTcp,   TransportKind::kUcxDelayed,
    TransportKind::kTls,      TransportKind::kPlainStream,
    TransportKind::kRouted};
// For the names of tests.
[[nodiscard]] const char* name_of(TransportKind kind);

class TransportNodes {
 public:
  TransportNodes(TransportKind kind, std::size_t count, const FlowOptions& options = {});

  Transport& operator[](std::size_t index);

 private:
  void make_ucx(TransportKind kind, std::size_t count, const FlowOptions& options);
  void make_streams(bool encrypted, std::size_t count, const FlowOptions& options);
  // Puts `near`, one for each node, before what is there.
  void route(std::vector<std::unique_ptr<Transport>> near);

  std::unique_ptr<InMemoryHub> hub_;
  std::vector<std::unique_ptr<Transport>> others_;
};

}  // namespace weft
