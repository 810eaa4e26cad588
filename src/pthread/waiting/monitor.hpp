// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What objects with a state are made of: a lock of the job that guards the state, and a queue of
// threads that wait until it has changed. On the runtime stack.
#pragma once

#include <optional>
#include <type_traits>

#include "base/held_signals.hpp"
#include "base/locks/lock_ids.hpp"
#include "pthread/waiting/parking.hpp"

namespace weft::pthread {

class Monitor {
 public:
  Monitor(Node& node, const void* object)
      : node_(node),
        lock_(lock_of(LockKind::kMonitor, object)),
        key_(reinterpret_cast<ParkingKey>(object)) {
    enter();
  }
  ~Monitor() { leave(); }
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  // Outside of the monitor meanwhile: until woken, or the time (of now_ns) has come, which is
  // false.
  [[nodiscard]] bool wait(std::optional<std::int64_t> until_ns) {
    return outside([&](Sleeper& sleeper) { return parking().sleep(key_, sleeper, until_ns); });
  }
  // The same, until the thread is cancelled or has handled a signal, too.
  [[nodiscard]] Awoken wait_interruptibly(std::optional<std::int64_t> until_ns) {
    return outside(
        [&](Sleeper& sleeper) { return parking().sleep_interruptibly(key_, sleeper, until_ns); });
  }
  void wake(std::uint32_t count) { parking().wake(key_, count); }

 private:
  template <typename Sleep>
  std::invoke_result_t<Sleep, Sleeper&> outside(Sleep sleep) {
    Sleeper sleeper;
    parking().enqueue(key_, sleeper);
    leave();
    const auto end = sleep(sleeper);
    enter();
    return end;
  }
  // A handler of a signal may post the semaphore that the thread it interrupts looks at.
  void enter() {
    SignalsHeld::hold();
    node_.acquire(lock_);
  }
  void leave() {
    node_.release(lock_);
    SignalsHeld::release();
  }

  Node& node_;
  const LockId lock_;
  const ParkingKey key_;
};

}  // namespace weft::pthread
