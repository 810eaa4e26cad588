// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/synchronisation/single_claims.hpp"

#include <mutex>

#include "base/signal_safe_mutex.hpp"
#include "openmp/synchronisation/single_count.hpp"
#include "runtime/board/board.hpp"

namespace weft::openmp {
namespace {

SingleCount count;  // node 0's is the one that counts

// What this node knows: of this region, so many have been taken.
struct Known {
  SignalSafeMutex asking;
  std::uint64_t region = 0, taken = 0;
} known;

}  // namespace

void serve_single_claims(Node& node) {
  node.serve(Service::kSingle, [](NodeId, ByteView request) {
    const auto claim = value_of<SingleCount::Claim>(request);
    return to_bytes(count.claim(claim.region, claim.construct));
  });
}

bool claim_single(Member& member) {
  Team& team = *member.team;
  const std::uint64_t construct = member.singles++;
  member.may_be_in_single = true;
  if (team.self() == NodeId(0)) return count.claim(team.region, construct).is_granted;
  // One thread of the node asks at a time: its answer mostly serves the others too.
  const board::Purpose purpose(board::WaitKind::kSingle, 0);
  const std::scoped_lock guard(known.asking);
  if (known.region == team.region && construct < known.taken) return false;
  const auto answer = value_of<SingleCount::Answer>(team.node->call(
      NodeId(0), Service::kSingle, to_bytes(SingleCount::Claim{team.region, construct})));
  known.region = team.region;
  known.taken = answer.taken;
  return answer.is_granted;
}

}  // namespace weft::openmp
