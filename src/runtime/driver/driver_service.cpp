// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's service thread, which works when no other thread of the node does, and page faults.
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <thread>
#include <utility>

#include "base/assert.hpp"
#include "base/futex.hpp"
#include "libc/signals/signals.hpp"
#include "runtime/driver/driver.hpp"

namespace weft {
namespace {

// A thread that passes by polls if nobody has for so long: much less than waking a thread takes.
constexpr std::int64_t kPassingNanoseconds = 2'000;

void watch(int epoll, int descriptor, int operation, std::uint32_t events) {
  if (descriptor < 0) return;
  epoll_event event = {};
  event.events = events;
  event.data.fd = descriptor;
  WEFT_ASSERT(epoll_ctl(epoll, operation, descriptor, &event) == 0, "errno {}", errno);
}

std::uint32_t thread_number() {
  thread_local const auto mine = static_cast<std::uint32_t>(syscall(SYS_gettid));
  return mine;
}

}  // namespace

void Driver::start() {
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  WEFT_ASSERT(epoll_ >= 0, "errno {}", errno);
  watch(epoll_, doorbell_.descriptor(), EPOLL_CTL_ADD, EPOLLIN);
  flush_timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  WEFT_ASSERT(flush_timer_ >= 0, "errno {}", errno);
  watch(epoll_, flush_timer_, EPOLL_CTL_ADD, EPOLLIN);
  watch(epoll_, parts_.transport->event_descriptor(), EPOLL_CTL_ADD, 0);
  watch(epoll_, parts_.memory->watcher().fault_descriptor(), EPOLL_CTL_ADD, EPOLLIN);
  watch(epoll_, parts_.bootstrap->descriptor(), EPOLL_CTL_ADD, EPOLLIN);
  std::thread([this] { service_loop(); }).detach();
}

// --- the service thread, and faults ---

void Driver::service_loop() {
  // Handlers of the program touch shared memory, which this thread must not.
  libc::block_all_signals();
  prctl(PR_SET_TIMERSLACK, 1UL);  // else the kernel adds as much again to how long it stands back
  for (;;) sleep_until_event(take_turn());
}

// Handles what has come, unless other threads do. Returns whether the transport is armed: if not,
// this thread must look again soon.
bool Driver::take_turn() {
  const bool reads_faults = parts_.memory->watcher().fault_descriptor() >= 0;
  if (driving_.load() > 0 && !oversubscribed_) {
    look_.note_in_vain();
    if (!reads_faults) return false;
    const std::lock_guard guard(lock_);
    read_page_faults();
    return false;
  }
  std::unique_lock guard(lock_, std::try_to_lock);
  // Whoever has it looks after the messages now, or is gone by the next look. Had this thread slept
  // for it, each unlocking would wake it, and while it ran on another processor, each page that is
  // taken away would have to be taken away there, too.
  if (!guard && !oversubscribed_ && !reads_faults) {
    look_.note_in_vain();
    return false;
  }
  if (!guard) guard.lock();
  if (std::exchange(passing_polls_seen_, passing_polls_) != passing_polls_ && !oversubscribed_) {
    read_page_faults();
    return false;
  }
  const std::uint64_t sent = parts_.transport->counters().all_sent();
  do {
    read_page_faults();
    while (poll() > 0) read_page_faults();
    if (parts_.transport->needs_polling()) return false;
  } while (!parts_.transport->arm());
  if (parts_.transport->counters().all_sent() != sent) look_.note_needed();
  is_armed_.store(true);
  return true;
}

void Driver::poll_in_passing() {
  const std::int64_t now = now_ns();
  if (now - passed_at_ns_ < kPassingNanoseconds) return;
  passed_at_ns_ = now;
  ++passing_polls_;
  poll();
}

// The transport's descriptor stays readable until it is armed again, so it is waited for once.
void Driver::sleep_until_event(bool armed) {
  const bool often = asleep_.load() > 0 || sends_need_polling_.load(std::memory_order_relaxed);
  const timespec look = {0, often ? LookInterval::kLeastNanoseconds : look_.nanoseconds()};
  if (armed) {
    watch(epoll_, parts_.transport->event_descriptor(), EPOLL_CTL_MOD, EPOLLIN | EPOLLONESHOT);
  } else {
    pollfd any = {epoll_, POLLIN, 0};
    if (ppoll(&any, 1, &look, nullptr) <= 0) return;
  }
  epoll_event events[8];
  const int count = epoll_wait(epoll_, events, 8, armed ? kLongestSleepSeconds * 1'000 : 0);
  is_armed_.store(false);
  for (int i = 0; i < count; ++i) {
    if (events[i].data.fd == parts_.bootstrap->descriptor()) leave_if_job_ended();
    if (events[i].data.fd == doorbell_.descriptor()) doorbell_.answer();
    if (events[i].data.fd == flush_timer_) flush_merged();
  }
}

void Driver::flush_merged() {
  std::uint64_t expirations = 0;
  if (read(flush_timer_, &expirations, sizeof expirations) < 0) return;
  const std::lock_guard guard(lock_);
  flush_timer_is_set_ = false;
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

void Driver::on_fault_here(PageIndex page, bool is_write) {
  std::optional<Driving> driving(*this);
  Patience patience;
  std::optional<std::uint64_t> asked_at;
  for (;;) {
    std::uint32_t seen = 0;
    {
      const std::lock_guard guard(lock_);
      const bool waited = asked_at.has_value();
      if (waited ? parts_.memory->is_ready(page, is_write)
                 : parts_.memory->on_fault(page, is_write)) {
        return;
      }
      // The page may come and go again before this thread looks: another one's acquire took it.
      if (asked_at != parts_.memory->unmap_calls()) {
        relieve_memory();
        asked_at = parts_.memory->unmap_calls();
        engine_.handle_fault(page, thread_number());
        continue;  // many pages are there at once
      }
      seen = progress_.load(std::memory_order_acquire);
      if (poll() > 0) {
        patience.renew();
        continue;
      }
    }
    const std::int64_t spun = patience.wait_on();
    if (stays_awake(patience, spun)) continue;
    driving.reset();
    sleep_until_progress(seen);
  }
}

Status Driver::attach(const SegmentSpec& segment) {
  const std::lock_guard guard(lock_);
  return parts_.memory->attach(segment);
}

Status Driver::open_later() {
  const std::lock_guard guard(lock_);
  return parts_.memory->open_later();
}

PageSet Driver::used_pages(PageRange pages) {
  const std::lock_guard guard(lock_);
  return engine_.used_pages(pages);
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
