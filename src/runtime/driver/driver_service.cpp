// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's service thread, which works when no other thread of the node does, and page faults.
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "base/assert.hpp"
#include "base/futex.hpp"
#include "base/threads/niceness.hpp"
#include "base/threads/own_thread.hpp"
#include "libc/signals/blocking.hpp"
#include "runtime/bootstrap/this_host.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/interface/call_sites.hpp"

namespace weft {
namespace {

std::uint32_t thread_number() {
  thread_local const auto mine = static_cast<std::uint32_t>(syscall(SYS_gettid));
  return mine;
}

}  // namespace

void Driver::start(Beginning where) {
  if (where == Beginning::kAtNodeZero) {
    if (self() == NodeId(0)) {
      alone_.begin();
    } else {
      rest_.wait_for_region();
    }
  }
  events_.watch({.doorbell = duty_.doorbell().descriptor(),
                 .transport = parts_.transport->event_descriptor(),
                 .faults = parts_.memory->watcher().fault_descriptor(),
                 .launcher = parts_.bootstrap->descriptor()});
  const std::string refusal = start_own_thread([this] { service_loop(); });
  if (!refusal.empty()) fail(refusal);
}

// --- the service thread, and faults ---

void Driver::service_loop() {
  // Handlers of the program touch shared memory, which this thread must not.
  libc::block_all_signals();
  prctl(PR_SET_TIMERSLACK, 1UL);  // else the kernel adds as much again to how long it stands back
  // Without that, a computing thread which has had less than its share keeps the processor until
  // the kernel's next tick, and others wait (docs/internals/waiting.md).
  if (parts_.service_goes_first) go_first();
  for (;;) {
    sleep_until_event(take_turn());
    show_counters();
  }
}

// Handles what has come, unless other threads do. Returns whether the transport is armed: if not,
// this thread must look again soon.
PollingDuty::Armed Driver::take_turn() {
  using enum PollingDuty::Armed;
  const bool reads_faults = parts_.memory->watcher().fault_descriptor() >= 0;
  if (is_for_threads() && !oversubscribed_) {
    attendance_.leave();
    look_.note_in_vain();
    if (!reads_faults) return kNot;
    const std::lock_guard guard(lock_);
    read_page_faults();
    return kNot;
  }
  std::unique_lock guard(lock_, std::try_to_lock);
  // Whoever has it looks after the messages now, or is gone by the next look. Had this thread slept
  // for it, each unlocking would wake it, and while it ran on another processor, each page that is
  // taken away would have to be taken away there, too.
  if (!guard && !oversubscribed_ && !reads_faults) {
    look_.note_in_vain();
    return kNot;
  }
  if (!guard) guard.lock();
  if (passing_polls_.any_since_last_look() && !oversubscribed_) {
    look_.note_in_vain();
    read_page_faults();
    return kNot;
  }
  const std::uint64_t sent = parts_.transport->counters().all_sent();
  const std::uint32_t woken = threads_woken_here;
  ArmedFor what;
  do {
    read_page_faults();
    bool have_come = false;
    for (; poll() > 0; have_come = true) read_page_faults();
    if (parts_.transport->needs_polling()) return kNot;
    const bool is_needed = parts_.transport->counters().all_sent() != sent;
    if (is_needed) look_.note_needed();
    const bool has_processor = all_sleep() && threads_woken_here == woken && !oversubscribed_;
    attendance_.end_turn(have_come, has_processor, now_ns());
    if (attendance_.lasts()) return kNot;
    // It came too early for a barrier, say. The next one like it finds no armed transport.
    if (std::exchange(was_armed_, false) && !is_needed && !oversubscribed_) {
      look_.note_in_vain();
      return kNot;
    }
    what = needs();
  } while (!parts_.transport->arm(what));
  const PollingDuty::Armed armed = what == ArmedFor::kAll ? kForAll : kForLoud;
  duty_.set_armed(armed);
  return armed;
}

// Whether all threads of this node wait, and some asleep: those of a team that is at a barrier, or
// waits for a region, or as many as it has.
bool Driver::all_sleep() const {
  const unsigned sleepers = duty_.sleepers();
  const bool all_wait = rest_.is_at_rest() || sleepers >= threads_per_node();
  return sleepers > 0 && all_wait && !rest_.has_outside_threads();
}

// Whether threads of the program look after the messages. Those that sleep drive no more.
bool Driver::is_for_threads() {
  const bool stands_back = standing_back_.at_look(duty_.times_begun(), now_ns(), was_armed_);
  if (duty_.is_taken()) return true;
  return stands_back && !duty_.needs_frequent_looks() && !duty_.awaits_quiet();
}

// With fewer processors than threads this thread does most of the polling.
ArmedFor Driver::needs() const {
  return oversubscribed_ || duty_.awaits_quiet() ? ArmedFor::kAll : ArmedFor::kLoud;
}

// Nobody waits for it: where the lock is taken, the next turn does it.
void Driver::show_counters() {
  constexpr std::int64_t kMomentNanoseconds = 100'000'000;
  const std::int64_t now = now_ns();
  if (now - shown_ns_ < kMomentNanoseconds || !lock_.try_lock()) return;
  const std::lock_guard guard(lock_, std::adopt_lock);
  shown_ns_ = now;
  board::show(engine_.counters(), engine_.epoch().value(),
              parts_.memory->counters().resident_bytes);
}

void Driver::poll_in_passing() {
  if (!passing_polls_.is_due(now_ns())) return;
  poll();
  duty_.rouse();
}

std::int64_t Driver::pause_before_look() {
  if (attendance_.lasts()) {
    const std::int64_t now = now_ns();
    const NextTurn next = attendance_.next(now, crowding().is_crowded(now));
    if (next == NextTurn::kAfterOffer) offer_processor();
    return 0;
  }
  return duty_.needs_frequent_looks() ? LookPause::kLeastNanoseconds : look_.nanoseconds();
}

void Driver::sleep_until_event(PollingDuty::Armed armed) {
  const ServiceEvents::Happened happened =
      armed == PollingDuty::Armed::kNot ? events_.sleep_without_transport(pause_before_look())
                                        : events_.sleep();
  duty_.set_armed(PollingDuty::Armed::kNot);
  was_armed_ = armed != PollingDuty::Armed::kNot && !happened.doorbell;
  if (happened.launcher) leave_if_job_ended();
  if (happened.doorbell) duty_.doorbell().answer();
  if (happened.timer) flush_merged();
}

void Driver::flush_merged() {
  if (!events_.timer_expired()) return;
  const std::lock_guard guard(lock_);
  flush_within_ns_ = kNever;
  engine_.handle_flush();
}

void Driver::read_page_faults() {
  const Status status = parts_.memory->watcher().read_faults([this](const ReportedFault& fault) {
    if (!parts_.memory->on_fault(fault.page, fault.is_write)) {
      relieve_memory();
      engine_.handle_fault(fault.page, fault.thread);
    }
  });
  if (!status) fail(status.error());
}

// Copies of other nodes' pages go before memory runs out.
void Driver::relieve_memory() {
  const WatchedMemory::Shortage shortage = parts_.memory->shortage();
  if (shortage.pages > 0) engine_.handle_memory_pressure(shortage.pages, shortage.urgent);
}

void Driver::ask_for(PageIndex page, bool is_first_time) {
  if (is_first_time && counted_sites() != nullptr && engine_.is_absent(page)) {
    count_absent_page(engine_.is_under_way(page));
  }
  const PageRange missed{page, 1};
  if (is_first_time) note_homes({&missed, 1});
  engine_.handle_fault(page, thread_number());
}

// Until that is so; asked under the lock, whenever something has come. Sleeps, if need be.
template <typename IsOver>
void Driver::await_pages(PageIndex first, IsOver is_over) {
  const board::Away away;
  std::optional<PollingDuty::Driving> driving(duty_);
  std::optional<board::Waiting> waiting;
  Patience patience(waiting_times());
  for (;;) {
    std::uint32_t seen = 0;
    {
      const std::lock_guard guard(lock_);
      if (is_over()) return;
      seen = progress_.seen();
      if (poll() > 0) {
        patience.renew();
        continue;
      }
    }
    if (!waiting) waiting.emplace(board::WaitKind::kPageFault, first.value());
    patience.count_turn();
    if (patience.lasts()) continue;
    driving.reset();
    const PollingDuty::Sleeping sleeping(duty_);
    board::note_sleep();
    progress_.sleep(seen);
  }
}

void Driver::on_fault_here(PageIndex page, bool is_write) {
  std::optional<std::uint64_t> asked_at;
  await_pages(page, [&] {
    if (asked_at ? parts_.memory->is_ready(page, is_write)
                 : parts_.memory->on_fault(page, is_write)) {
      return true;
    }
    // The page may come and go again before this thread looks: another one's acquire took it.
    while (asked_at != parts_.memory->unmap_calls()) {
      relieve_memory();
      const bool is_first_time = !asked_at;
      asked_at = parts_.memory->unmap_calls();
      ask_for(page, is_first_time);
      if (parts_.memory->is_ready(page, is_write)) return true;  // many pages are there at once
    }
    return false;
  });
}

// Of these pages what was lost meanwhile, or was not asked for, is fetched as if the thread had
// touched it.
void Driver::fetch(PageRange pages) {
  await_under_way(pages);
  PageIndex next = pages.first;
  for (;;) {
    {
      const std::lock_guard guard(lock_);
      while (next < pages.end() && !engine_.is_absent(next)) next = next.plus(1);
    }
    if (next == pages.end()) return;
    on_fault_here(next, false);
    next = next.plus(1);
  }
}

void Driver::await_under_way(PageRange pages) {
  PageIndex next = pages.first;
  await_pages(next, [&] {
    while (next < pages.end() && !engine_.is_under_way(next)) next = next.plus(1);
    return next == pages.end();
  });
}

Status Driver::attach(const SegmentSpec& segment) {
  const std::lock_guard guard(lock_);
  return parts_.memory->attach(segment);
}

Status Driver::open_stage(unsigned stage) {
  const std::lock_guard guard(lock_);
  return parts_.memory->open_stage(stage);
}

Status Driver::guard(PageRange pages) {
  const std::lock_guard guard(lock_);
  return parts_.memory->guard(pages);
}

PageSet Driver::used_pages(PageRange pages) {
  const std::lock_guard guard(lock_);
  return engine_.used_pages(pages);
}

bool Driver::could_hold_everything() {
  const PageRange all{PageIndex(0), parts_.engine.page_count};
  static const std::uint64_t usable = usable_memory();  // read from files, and asked for often
  const std::uint64_t limit = memory_limit();
  return used_pages(all).page_count() * kPageBytes <= (limit > 0 ? limit : usable) / 2;
}

void Driver::fetch_everything() {
  PageSet pages;
  {
    const std::lock_guard guard(lock_);
    pages = engine_.invalid_pages();
  }
  for (const PageRange& range : pages.ranges()) {
    for (PageIndex page = range.first; page < range.end(); ++page) on_fault_here(page, false);
  }
}

void Driver::leave_if_job_ended() {
  if (parts_.bootstrap->job_ended() && !stopping_.load()) _exit(1);
}

}  // namespace weft
