// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/synchronisation/cancellation.hpp"

#include <atomic>

#include "base/codec.hpp"
#include "openmp/synchronisation/team_barrier.hpp"
#include "openmp/tasking/reductions.hpp"
#include "openmp/team/synchronisation_ids.hpp"
#include "openmp/tools/events.hpp"
#include "stacks/stacks.hpp"

namespace weft::openmp {
namespace {

// Which construct, and between which of the team's barriers. Requests of later barriers are larger.
struct Request {
  static constexpr unsigned kBarrierBits = 28, kKindBits = 4;

  static std::uint64_t encode(const Team& team, std::int32_t kind) {
    return (((team.region << kBarrierBits) + team.barriers) << kKindBits) +
           static_cast<std::uint64_t>(kind);
  }
  static std::uint64_t time_of(std::uint64_t request) { return request >> kKindBits; }
  static std::uint8_t vote_of(std::uint64_t request) {
    return static_cast<std::uint8_t>(1U << (request & ((1U << kKindBits) - 1)));
  }
};

// The latest that this node knows of. It is of the past once its team has passed a barrier, and of
// the future if its sender has passed one that this node has not.
std::atomic<std::uint64_t> latest{0};

// Keeps the first request between two barriers, as libomp does. True if that is this one.
bool note(std::uint64_t request) {
  std::uint64_t known = latest.load();
  while (Request::time_of(known) < Request::time_of(request)) {
    if (latest.compare_exchange_weak(known, request)) return true;
  }
  return known == request;
}

bool is_requested(const Team& team, std::int32_t kind) {
  if (kind == kCancelParallel && team.cancelled) return true;
  return latest.load(std::memory_order_relaxed) == Request::encode(team, kind);
}

void tell_other_nodes(const Team& team, std::uint64_t request) {
  const Bytes message = to_bytes(request);
  for (NodeId to; to.value() < team.nodes; ++to) {
    if (to != team.self()) team.node->notify(to, Service::kCancel, message);
  }
}

}  // namespace

void serve_cancellations(Node& node) {
  node.serve(Service::kCancel, [](NodeId, ByteView message) {
    note(value_of<std::uint64_t>(message));
    return Bytes();
  });
}

std::uint8_t cancellation_votes(const Team& team) {
  const std::uint64_t request = latest.load();
  const bool is_present = Request::time_of(request) == Request::time_of(Request::encode(team, 0));
  return is_present ? Request::vote_of(request) : 0;
}

}  // namespace weft::openmp

using namespace weft;
using namespace weft::openmp;

WEFT_ENTRY std::int32_t __kmpc_cancel(Ident* loc, std::int32_t gtid, std::int32_t kind) {
  WEFT_NOTE_CALL();
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_cancel(loc, gtid, kind);
  if (real().omp_get_cancellation() == 0) return 0;
  return on_runtime_stack([&]() -> std::int32_t {
    if (kind == kCancelTaskgroup) {
      if (!tasks::cancel_taskgroup(*member)) return 0;
      tools::tell_cancel(*member, kind, ompt_cancel_activated);
      return 1;
    }
    const Team& team = *member->team;
    const std::uint64_t request = Request::encode(team, kind);
    const bool is_news = !is_requested(team, kind);
    if (is_news && !note(request)) return 0;  // something else was cancelled first
    if (is_news) tell_other_nodes(team, request);
    tools::tell_cancel(*member, kind, is_news ? ompt_cancel_activated : ompt_cancel_detected);
    abandon_loop(*member);
    return 1;
  });
}

WEFT_ENTRY std::int32_t __kmpc_cancellationpoint(Ident* loc, std::int32_t gtid, std::int32_t kind) {
  WEFT_NOTE_CALL();
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_cancellationpoint(loc, gtid, kind);
  if (kind == kCancelTaskgroup) {
    return on_runtime_stack([&] {
      if (!tasks::is_taskgroup_cancelled(*member)) return 0;
      tools::tell_cancel(*member, kind, ompt_cancel_detected);
      return 1;
    });
  }
  if (!is_requested(*member->team, kind)) return 0;
  on_runtime_stack([&] {
    tools::tell_cancel(*member, kind, ompt_cancel_detected);
    abandon_loop(*member);
  });
  return 1;
}

// The barrier at the end of a construct that may be cancelled; returns whether it was.
WEFT_ENTRY std::int32_t __kmpc_cancel_barrier(Ident* loc, std::int32_t gtid) {
  WEFT_NOTE_CALL();
  Member* member = current_member();
  const void* site = __builtin_return_address(0);
  return on_runtime_stack([&]() -> std::int32_t {
    if (member == nullptr) return real().__kmpc_cancel_barrier(loc, gtid);
    member->site = site;
    team_barrier(*member, loc, gtid);
    member->site = nullptr;
    return member->team->votes & kCancellationVotes || member->team->cancelled ? 1 : 0;
  });
}
