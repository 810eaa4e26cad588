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
  std::uint32_t inside;        // threads in pthread_barrier_wait
  std::uint32_t is_destroyed;  // whoever does that waits until they have left
};
static_assert(sizeof(BarrierState) <= sizeof(pthread_barrier_t));

BarrierState& state_of(pthread_barrier_t* barrier) {
  return *reinterpret_cast<BarrierState*>(barrier);
}

bool is_last_to_arrive(BarrierState& state, Monitor& monitor) {
  if (++state.arrived == state.count) {
    state.arrived = 0;
    ++state.round;
    monitor.wake(kWakeAll);
    return true;
  }
  for (const std::uint32_t round = state.round; round == state.round;) {
    (void)monitor.wait(std::nullopt);
  }
  return false;
}

int wait(Node& node, pthread_barrier_t* barrier) {
  BarrierState& state = state_of(barrier);
  Monitor monitor(node, barrier);
  ++state.inside;
  const bool is_last = is_last_to_arrive(state, monitor);
  if (--state.inside == 0 && state.is_destroyed != 0) monitor.wake(kWakeAll);
  return is_last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

// Once nobody is blocked on it a barrier may be destroyed, but those who were look at it once more.
void destroy(Node& node, pthread_barrier_t* barrier) {
  BarrierState& state = state_of(barrier);
  Monitor monitor(node, barrier);
  state.is_destroyed = 1;
  while (state.inside != 0) (void)monitor.wait(std::nullopt);
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
  state_of(barrier) = {.count = count, .arrived = 0, .round = 0, .inside = 0, .is_destroyed = 0};
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
  Node* const node = job_of(barrier);
  if (node == nullptr) return WEFT_REAL(pthread_barrier_destroy)(barrier);
  const void* site = __builtin_return_address(0);
  on_runtime_stack([&] {
    const board::Purpose purpose(board::WaitKind::kBarrierObject,
                                 reinterpret_cast<std::uintptr_t>(barrier), nullptr, site);
    destroy(*node, barrier);
  });
  return 0;
}

}  // namespace weft::pthread
