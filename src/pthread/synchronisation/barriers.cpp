// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pthread_barrier_t.
#include <pthread.h>

#include <cerrno>

#include "pthread/waiting/monitor.hpp"
#include "pthread/waiting/objects.hpp"
#include "pthread/waiting/shown_waits.hpp"
#include "runtime/board/board.hpp"
#include "runtime/interface/move_points.hpp"
#include "stacks/stacks.hpp"

namespace weft::pthread {
namespace {

struct BarrierState {
  std::uint32_t count;
  std::uint32_t arrived;
  std::uint32_t round;
};
static_assert(sizeof(BarrierState) <= sizeof(pthread_barrier_t));

BarrierState& state_of(pthread_barrier_t* barrier) {
  return *reinterpret_cast<BarrierState*>(barrier);
}

int wait(Node& node, pthread_barrier_t* barrier) {
  BarrierState& state = state_of(barrier);
  Monitor monitor(node, barrier);
  if (++state.arrived == state.count) {
    state.arrived = 0;
    ++state.round;
    monitor.wake(kWakeAll);
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  for (const std::uint32_t round = state.round; round == state.round;) {
    (void)monitor.wait(std::nullopt);
  }
  return 0;
}

// The C library's.
int wait_in_process(pthread_barrier_t* barrier, const void* site) {
  const auto wait = [barrier] { return WEFT_REAL(pthread_barrier_wait)(barrier); };
  if (!waits_are_shown()) return wait();
  return wait_shown(board::WaitKind::kBarrierObject, barrier, site, wait);
}

}  // namespace

WEFT_ENTRY(int, pthread_barrier_init, pthread_barrier_t* barrier,
           const pthread_barrierattr_t* attributes, unsigned count) {
  if (job_of(barrier) == nullptr)
    return WEFT_REAL(pthread_barrier_init)(barrier, attributes, count);
  if (count == 0) return EINVAL;
  state_of(barrier) = {count, 0, 0};
  return 0;
}

WEFT_ENTRY(int, pthread_barrier_wait, pthread_barrier_t* barrier) {
  Node* node = job_of(barrier);
  const void* site = __builtin_return_address(0);
  if (node == nullptr) return wait_in_process(barrier, site);
  node = pass_move_point(node);
  return on_runtime_stack([&] {
    const board::Purpose purpose(board::WaitKind::kBarrierObject,
                                 reinterpret_cast<std::uintptr_t>(barrier), nullptr, site);
    return wait(*node, barrier);
  });
}

WEFT_ENTRY(int, pthread_barrier_destroy, pthread_barrier_t* barrier) {
  return job_of(barrier) == nullptr ? WEFT_REAL(pthread_barrier_destroy)(barrier) : 0;
}

}  // namespace weft::pthread
