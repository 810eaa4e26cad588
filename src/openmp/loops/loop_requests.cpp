// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/loops/loop_requests.hpp"

#include "base/assert.hpp"
#include "openmp/team/team.hpp"

namespace weft::openmp {
namespace {

Bytes answer(ByteView request) {
  ByteReader reader(request);
  const LoopKey key{reader.varint()};
  LoopShape shape;
  shape.trip_count = reader.varint();
  shape.chunk = reader.varint();
  shape.guided = reader.u8() != 0;
  shape.monotonic = reader.u8() != 0;
  shape.team_size = static_cast<std::uint32_t>(reader.varint());
  shape.threads_per_node = static_cast<std::uint32_t>(reader.varint());
  WEFT_ASSERT(reader.finished(), "a malformed request for loop iterations");
  const Span given = loop_table().answer(key, shape);
  Bytes reply;
  ByteWriter writer(reply);
  writer.varint(given.begin);
  writer.varint(given.end);
  return reply;
}

}  // namespace

void serve_loop_requests(Node& node) {
  node.serve(Service::kLoopSteal, [](NodeId, ByteView request) { return answer(request); });
}

Span request_iterations(Node& node, std::uint32_t victim, LoopKey key, const LoopShape& shape) {
  Bytes request;
  ByteWriter writer(request);
  writer.varint(key.value);
  writer.varint(shape.trip_count);
  writer.varint(shape.chunk);
  writer.u8(shape.guided ? 1 : 0);
  writer.u8(shape.monotonic ? 1 : 0);
  writer.varint(shape.team_size);
  writer.varint(shape.threads_per_node);
  const Bytes reply = node.call(NodeId(static_cast<std::uint16_t>(victim)), Service::kLoopSteal,
                                std::move(request));
  ByteReader reader(reply);
  Span given;
  given.begin = reader.varint();
  given.end = reader.varint();
  WEFT_ASSERT(reader.finished(), "a malformed answer about loop iterations");
  return given;
}

}  // namespace weft::openmp
