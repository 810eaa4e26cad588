// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/board/board.hpp"

#include <dirent.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/futex.hpp"

namespace weft::board {
namespace {

// Before there is a board, and after it was left.
constinit Board nobodys{};
constinit std::atomic<Board*> present = &nobodys;

constexpr std::array<std::string_view, kWaitKindCount> kNames = {
    "nothing",
    "a barrier",
    "a lock",
    "its turn in an ordered region",
    "tasks",
    "an iteration of a doacross loop",
    "a single region's executor",
    "the other parts of a reduction",
    "the next parallel region",
    "a condition variable",
    "a semaphore",
    "a read-write lock",
    "a pthread barrier",
    "a futex",
    "the end of a thread",
    "a page",
    "an atomic operation",
    "a flush",
    "the answer of another node",
    "another node",
};

std::uint32_t thread_number() { return static_cast<std::uint32_t>(syscall(SYS_gettid)); }

bool is_gone(std::uint32_t thread) {
  return syscall(SYS_tgkill, getpid(), static_cast<pid_t>(thread), 0) != 0 && errno == ESRCH;
}

void begin(ThreadSlot& slot) {
  const std::uint64_t progress = slot.progress.load(kRelaxed);
  slot.progress.store(progress + (is_odd(progress) ? 1 : 2), kRelaxed);
  slot.number.store(kNoNumber, kRelaxed);
  slot.kind.store(static_cast<std::uint32_t>(WaitKind::kNone), kRelaxed);
  for (auto* each : {&slot.object, &slot.place, &slot.address}) each->store(0, kRelaxed);
  slot.held_count.store(0, kRelaxed);
  slot.is_wefts_own.store(0, kRelaxed);
}

// Of those that have been used: one for which `is_free` says so of its present owner.
template <typename IsFree>
ThreadSlot* reuse_slot(std::uint32_t mine, IsFree is_free) {
  Board& all = this_board();
  const std::size_t used =
      std::min<std::size_t>(all.header.slots_used.load(kRelaxed), kMostThreads);
  for (std::size_t each = 0; each < used; ++each) {
    std::uint32_t owner = all.threads[each].thread.load(kRelaxed);
    if (is_free(owner) && all.threads[each].thread.compare_exchange_strong(owner, mine)) {
      return &all.threads[each];
    }
  }
  return nullptr;
}

// One that a thread of the same number has left, one that is free, a new one, and where there is
// none, one whose thread has ended.
ThreadSlot* take_slot(std::uint32_t mine) {
  if (ThreadSlot* const own = reuse_slot(mine, [=](auto owner) { return owner == mine; }))
    return own;
  if (ThreadSlot* const free = reuse_slot(mine, [](auto owner) { return owner == 0; })) return free;
  Board& all = this_board();
  if (all.header.slots_used.load(kRelaxed) < kMostThreads) {
    const std::uint32_t next = all.header.slots_used.fetch_add(1, kRelaxed);
    if (next < kMostThreads) {
      all.threads[next].thread.store(mine, std::memory_order_release);
      return &all.threads[next];
    }
  }
  return reuse_slot(mine, is_gone);
}

}  // namespace

std::string_view name_of(WaitKind kind) {
  const auto number = static_cast<std::size_t>(kind);
  return number < kNames.size() ? kNames[number] : kNames.back();
}

void take(int descriptor, unsigned node) {
  // Mapped in any case: what is mapped later then has the same addresses on all nodes.
  const int kind = descriptor >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  void* mapped = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, kind, descriptor, 0);
  if (mapped == MAP_FAILED && descriptor >= 0) {
    mapped =
        mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  if (descriptor >= 0) close(descriptor);
  if (mapped == MAP_FAILED) return;
  auto* const mine = static_cast<Board*>(mapped);
  BoardHeader& header = mine->header;
  header.version.store(kVersion, kRelaxed);
  header.bytes.store(sizeof(Board), kRelaxed);
  header.node.store(node, kRelaxed);
  header.process.store(static_cast<std::uint32_t>(getpid()), kRelaxed);
  header.counter_count.store(kCounterCount, kRelaxed);
  header.magic.store(kMagic, std::memory_order_release);
  present.store(mine, kRelaxed);
  detail::slot = nullptr;
}

void leave() {
  present.store(&nobodys, kRelaxed);
  detail::slot = nullptr;
}

Board& this_board() { return *present.load(kRelaxed); }

void set_state(NodeState state) {
  this_board().header.state.store(static_cast<std::uint32_t>(state), kRelaxed);
}

void show(const EngineCounters& counters, std::uint32_t epoch, std::uint64_t memory_bytes) {
  BoardHeader& header = this_board().header;
  std::size_t next = 0;
  for (const CounterInfo& each : engine_counters()) {
    header.counters[next++].store(counters.*each.value, kRelaxed);
  }
  header.epoch.store(epoch, kRelaxed);
  header.memory_bytes.store(memory_bytes, kRelaxed);
  header.looked_ns.store(now_ns(), kRelaxed);
}

namespace detail {

constinit thread_local ThreadSlot* slot = nullptr;

ThreadSlot& claim_slot() {
  // Threads without one share it; what it says is read by nobody.
  static constinit ThreadSlot spare{};
  const int error = errno;  // the program's
  slot = take_slot(thread_number());
  if (slot != nullptr) {
    begin(*slot);
  } else {
    this_board().header.slots_wanted.fetch_add(1, kRelaxed);
    slot = &spare;
  }
  errno = error;
  return *slot;
}

}  // namespace detail

void leave_thread() {
  ThreadSlot* const mine = detail::slot;
  detail::slot = nullptr;
  if (mine == nullptr || mine->thread.load(kRelaxed) != thread_number()) return;
  begin(*mine);
  mine->thread.store(0, std::memory_order_release);
}

void note_own_threads() {
  DIR* const threads = opendir("/proc/self/task");
  if (threads == nullptr) return;
  while (const dirent* entry = readdir(threads)) {
    const auto number = static_cast<std::uint32_t>(std::strtoul(entry->d_name, nullptr, 10));
    const bool is_programs =
        number == 0 || number == thread_number() || number == static_cast<std::uint32_t>(getpid());
    ThreadSlot* const its = is_programs ? nullptr : take_slot(number);
    if (its == nullptr) continue;
    begin(*its);
    its->is_wefts_own.store(1, kRelaxed);
  }
  closedir(threads);
}

void note_sleep() {
  ThreadSlot& mine = this_thread();
  if (mine.asleep_ns.load(kRelaxed) == 0) mine.asleep_ns.store(now_ns(), kRelaxed);
}

Working::Working() : slot_(this_thread()), was_waiting_(is_odd(slot_.progress.load(kRelaxed))) {
  if (!was_waiting_) return;
  kind_ = slot_.kind.load(kRelaxed);
  object_ = slot_.object.load(kRelaxed);
  place_ = slot_.place.load(kRelaxed);
  address_ = slot_.address.load(kRelaxed);
  ends_by_itself_ = slot_.ends_by_itself.load(kRelaxed);
  slot_.progress.store(slot_.progress.load(kRelaxed) + 1, std::memory_order_release);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  slot_.kind.store(static_cast<std::uint32_t>(WaitKind::kNone), kRelaxed);
}

Working::~Working() {
  if (!was_waiting_) return;
  slot_.kind.store(static_cast<std::uint32_t>(kind_), kRelaxed);
  slot_.object.store(object_, kRelaxed);
  slot_.place.store(place_, kRelaxed);
  slot_.address.store(address_, kRelaxed);
  slot_.ends_by_itself.store(ends_by_itself_, kRelaxed);
  slot_.asleep_ns.store(0, kRelaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  slot_.progress.store(slot_.progress.load(kRelaxed) + 1, std::memory_order_release);
}

namespace detail {

// One that another thread has taken is not here, nor are more than there is room for.
void forget_older(ThreadSlot& mine, std::uint64_t lock) {
  const std::uint32_t count = mine.held_count.load(kRelaxed);
  if (count > kMostHeld) return mine.held_count.store(count - 1, kRelaxed);
  for (std::uint32_t each = count; each-- > 0;) {
    if (mine.held[each].lock.load(kRelaxed) != lock) continue;
    for (std::uint32_t next = each + 1; next < count; ++next) {
      mine.held[next - 1].lock.store(mine.held[next].lock.load(kRelaxed), kRelaxed);
      mine.held[next - 1].place.store(mine.held[next].place.load(kRelaxed), kRelaxed);
      mine.held[next - 1].address.store(mine.held[next].address.load(kRelaxed), kRelaxed);
    }
    return mine.held_count.store(count - 1, std::memory_order_release);
  }
}

}  // namespace detail

}  // namespace weft::board
