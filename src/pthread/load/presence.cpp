// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/load/presence.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/signal_safe_mutex.hpp"
#include "pthread/load/activity.hpp"
#include "runtime/board/board.hpp"

namespace weft::pthread {
namespace {

struct Present {
  const board::ThreadSlot* slot;
  Activity activity;
};

struct Presence {
  SignalSafeMutex guard;  // nothing blocks under it
  std::vector<Present> threads;
};
Presence* presence = nullptr;  // never destroyed: threads end as long as the process lives

std::uint64_t progress_of(const board::ThreadSlot& slot) {
  return slot.progress.load(board::kRelaxed);
}

void remove(const board::ThreadSlot& slot) {
  std::erase_if(presence->threads, [&](const Present& each) { return each.slot == &slot; });
}

}  // namespace

void start_presence() { presence = new Presence; }

void note_presence() {
  if (presence == nullptr) return;
  const board::ThreadSlot& slot = board::this_thread();
  const std::lock_guard guard(presence->guard);
  remove(slot);
  presence->threads.push_back({&slot, Activity(progress_of(slot))});
}

void note_absence() {
  if (presence == nullptr) return;
  const board::ThreadSlot& slot = board::this_thread();
  const std::lock_guard guard(presence->guard);
  remove(slot);
}

unsigned threads_with_work() {
  const std::lock_guard guard(presence->guard);
  return static_cast<unsigned>(std::ranges::count_if(presence->threads, [](Present& each) {
    return each.activity.look(progress_of(*each.slot));
  }));
}

unsigned running_threads() {
  const std::lock_guard guard(presence->guard);
  return static_cast<unsigned>(std::ranges::count_if(presence->threads, [](const Present& each) {
    return !board::is_odd(progress_of(*each.slot));
  }));
}

}  // namespace weft::pthread
