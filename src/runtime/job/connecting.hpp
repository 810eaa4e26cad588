// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which transport carries a node's messages, and how the nodes come to know each other's addresses
// in it.
//
//   one host                    UCX over shared memory; no port is opened
//   one host, --transport tcp   UCX over TCP, on loopback
//   several hosts               within a host UCX over shared memory, between hosts streams
//   several, --transport tcp    streams
//   several, --transport ucx    UCX, which asks nobody for a key
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/job/introduction.hpp"
#include "runtime/options/options.hpp"
#include "transport/stream/stream_transport.hpp"
#include "transport/ucx/ucx_transport.hpp"

namespace weft {

class Connecting {
 public:
  // Makes what this job needs; it listens from now on.
  static Result<Connecting> begin(const Bootstrap& bootstrap, const NodeOptions& options,
                                  const PeerFailureHandler& on_peer_failure);

  [[nodiscard]] const Reach& mine() const { return mine_; }
  // With all nodes' answers, by node number.
  [[nodiscard]] Result<std::unique_ptr<Transport>> end(std::vector<Reach> all) &&;

 private:
  [[nodiscard]] Status make_ucx(const UcxLibraryOptions& library, NodeId self,
                                const PeerFailureHandler& on_peer_failure);
  [[nodiscard]] Status make_stream(const Bootstrap& bootstrap, const NodeOptions& chosen,
                                   const PeerFailureHandler& on_peer_failure);

  Reach mine_;
  std::unique_ptr<UcxTransport> ucx_;
  std::unique_ptr<StreamTransport> stream_;
};

}  // namespace weft
