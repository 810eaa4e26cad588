// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/synchronisation/single_claims.hpp"

#include <mutex>

#include "base/assert.hpp"
#include "base/signal_safe_mutex.hpp"
#include "openmp/synchronisation/single_count.hpp"

namespace weft::openmp {
namespace {

SingleCount count;  // node 0's is the one that counts

// What this node knows: of this region, so many have been taken.
struct Known {
  SignalSafeMutex asking;
  std::uint64_t region = 0, taken = 0;
} known;

SingleCount::Answer ask(Node& node, std::uint64_t region, std::uint64_t construct) {
  Bytes request;
  ByteWriter writer(request);
  writer.varint(region);
  writer.varint(construct);
  const Bytes reply = node.call(NodeId(0), Service::kSingle, std::move(request));
  ByteReader reader(reply);
  SingleCount::Answer answer;
  answer.is_granted = reader.u8() != 0;
  answer.taken = reader.varint();
  WEFT_ASSERT(reader.finished(), "a malformed answer about a single construct");
  return answer;
}

}  // namespace

void serve_single_claims(Node& node) {
  node.serve(Service::kSingle, [](NodeId, ByteView request) {
    ByteReader reader(request);
    const std::uint64_t region = reader.varint();
    const std::uint64_t construct = reader.varint();
    WEFT_ASSERT(reader.finished(), "a malformed claim of a single construct");
    const SingleCount::Answer answer = count.claim(region, construct);
    Bytes reply;
    ByteWriter writer(reply);
    writer.u8(answer.is_granted ? 1 : 0);
    writer.varint(answer.taken);
    return reply;
  });
}

bool claim_single(Member& member) {
  Team& team = *member.team;
  const std::uint64_t construct = member.singles++;
  member.may_be_in_single = true;
  if (team.self() == 0) return count.claim(team.region, construct).is_granted;
  // One thread of the node asks at a time: its answer mostly serves the others too.
  const std::scoped_lock guard(known.asking);
  if (known.region == team.region && construct < known.taken) return false;
  const SingleCount::Answer answer = ask(*team.node, team.region, construct);
  known.region = team.region;
  known.taken = answer.taken;
  return answer.is_granted;
}

}  // namespace weft::openmp
