// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/watch/deadlock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/locks/lock_ids.hpp"

namespace weft {
namespace {

using board::HeldLock;
using board::ThreadSnapshot;
using board::WaitKind;

// What a handler of a signal may do by POSIX, or by atomic variables alone.
bool may_be_ended_by_handler(const NodeView& node) {
  const auto could = [](const ThreadSnapshot& each) {
    return each.is_waiting && (each.kind == WaitKind::kSemaphore || each.kind == WaitKind::kFutex);
  };
  return std::ranges::any_of(node.shown->threads, could);
}

bool is_programs_wait(const ThreadSnapshot& thread) {
  return thread.is_waiting && !thread.is_wefts_own;
}

struct ThreadName {
  std::size_t node, thread;  // indexes
  auto operator<=>(const ThreadName&) const = default;
};

class Report {
 public:
  Report(const std::vector<NodeView>& nodes, const std::vector<std::string>& hosts)
      : nodes_(nodes), hosts_(hosts) {
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      const auto& threads = nodes[node].shown->threads;
      for (std::size_t thread = 0; thread < threads.size(); ++thread) {
        for (const HeldLock& held : threads[thread].held) {
          holders_[held.lock] = {{node, thread}, held};
        }
      }
    }
  }

  // `is_stuck`: all nodes were seen to stand still, so that what they show fits together.
  std::vector<std::string> lines(bool is_stuck) {
    is_stuck_ = is_stuck;
    for (std::size_t node = 0; node < nodes_.size(); ++node) add_node(node);
    if (!is_stuck) return std::move(lines_);
    if (auto cycle = a_cycle(); !cycle.empty()) lines_.push_back(std::move(cycle));
    return std::move(lines_);
  }

 private:
  struct Holder {
    ThreadName thread;
    HeldLock held;
  };

  const ThreadSnapshot& at(const ThreadName& name) const {
    return nodes_[name.node].shown->threads[name.thread];
  }

  std::string node_name(std::size_t node) const {
    const std::string& host = hosts_[node];
    return host.empty() ? fmt::format("node {}", nodes_[node].node)
                        : fmt::format("node {} ({})", nodes_[node].node, host);
  }
  static std::string own_name(const ThreadSnapshot& thread) {
    return thread.number >= 0 ? fmt::format("thread {}", thread.number)
                              : fmt::format("thread (tid {})", thread.thread);
  }
  std::string name_of(const ThreadName& name) const {
    return fmt::format("{} of {}", own_name(at(name)), node_name(name.node));
  }

  // " at heat.c:41", or nothing.
  std::string where(std::size_t node, std::uint64_t place, std::uint64_t address) const {
    for (const std::uint64_t each : {place, address}) {
      const std::string* const text = each == 0 ? nullptr : nodes_[node].text_of(each);
      if (text != nullptr) return " at " + *text;
    }
    return address == 0 ? "" : fmt::format(" at {:#x}", address);
  }

  // "`x`", or the address.
  std::string variable(std::size_t node, std::uint64_t address) const {
    const std::string* const text = nodes_[node].text_of(address);
    return text == nullptr ? fmt::format("{:#x}", address) : fmt::format("`{}`", *text);
  }

  std::string lock_name(std::size_t node, std::uint64_t lock) const {
    const std::uint64_t address = lock >> kLockKindBits;
    const auto kind = static_cast<LockKind>(lock & ((1U << kLockKindBits) - 1));
    switch (kind) {
      case LockKind::kCritical:
        return critical_name(node, address);
      case LockKind::kLock:
      case LockKind::kNestLock:
        return "the lock " + variable(node, address);
      case LockKind::kMutex:
        return "the mutex " + variable(node, address);
      case LockKind::kMonitor:
        return "the state of the object " + variable(node, address);
      case LockKind::kStaticGuard:
        return "the initialisation of the static variable of " + variable(node, address);
      case LockKind::kAtomic:
        return "the atomic object " + variable(node, address);
      case LockKind::kOwn:
        break;
    }
    return fmt::format("Weft's own lock {}", address);
  }

  // clang's name of the variable is ".gomp_critical_user_NAME.var".
  std::string critical_name(std::size_t node, std::uint64_t address) const {
    const std::string* const text = nodes_[node].text_of(address);
    constexpr std::string_view kPrefix = ".gomp_critical_user_", kSuffix = ".var";
    if (text == nullptr || !text->starts_with(kPrefix) || !text->ends_with(kSuffix)) {
      return "the critical region " + variable(node, address);
    }
    const std::string name =
        text->substr(kPrefix.size(), text->size() - kPrefix.size() - kSuffix.size());
    return name.empty() ? "the critical region without a name"
                        : fmt::format("the critical region `{}`", name);
  }

  std::string object_of(std::size_t node, const ThreadSnapshot& thread) const {
    switch (thread.kind) {
      case WaitKind::kLock:
        return lock_name(node, thread.object);
      case WaitKind::kCondition:
      case WaitKind::kSemaphore:
      case WaitKind::kRwLock:
      case WaitKind::kBarrierObject:
      case WaitKind::kFutex:
        return fmt::format("{} {}", board::name_of(thread.kind), variable(node, thread.object));
      case WaitKind::kOtherNode:
        return fmt::format("{} ({})", board::name_of(thread.kind), thread.object);
      default:
        return std::string(board::name_of(thread.kind));
    }
  }

  std::optional<Holder> holder_of(const ThreadSnapshot& thread) const {
    const auto found =
        thread.kind == WaitKind::kLock ? holders_.find(thread.object) : holders_.end();
    return found == holders_.end() ? std::nullopt : std::optional(found->second);
  }

  std::string held_by(const ThreadName& name) const {
    const ThreadSnapshot& thread = at(name);
    if (thread.kind != WaitKind::kLock) return "";
    const auto holder = holder_of(thread);
    if (!holder) {
      return is_stuck_ ? "; the thread that took it has ended, or holds too many locks to name"
                       : "";
    }
    const std::string taken = where(holder->thread.node, holder->held.place, holder->held.address);
    const std::string since = taken.empty() ? "" : ", which took it" + taken;
    if (holder->thread == name)
      return "; it holds that already" + (taken.empty() ? "" : ", taken" + taken);
    return fmt::format("; held by {}{}", name_of(holder->thread), since);
  }

  void add_node(std::size_t node) {
    const auto& threads = nodes_[node].shown->threads;
    std::map<std::string, std::vector<std::string>> waiting;  // by what for: the threads
    std::vector<std::string> order;
    for (std::size_t each = 0; each < threads.size(); ++each) {
      if (!is_programs_wait(threads[each])) continue;
      const std::string what = object_of(node, threads[each]) +
                               where(node, threads[each].place, threads[each].address) +
                               held_by({node, each});
      auto& names = waiting[what];
      if (names.empty()) order.push_back(what);
      names.push_back(own_name(threads[each]));
    }
    for (const std::string& what : order) {
      const std::vector<std::string>& names = waiting[what];
      lines_.push_back(fmt::format("{} of {} {} for {}", listed(names), node_name(node),
                                   names.size() == 1 ? "waits" : "wait", what));
    }
    const std::size_t others = nodes_[node].standstill ? sleepers_outside(node) : 0;
    if (others > 0) {
      lines_.push_back(fmt::format("{} of {} {} outside of Weft, until another thread wakes {}",
                                   others == 1 ? "a thread" : fmt::format("{} threads", others),
                                   node_name(node), others == 1 ? "sleeps" : "sleep",
                                   others == 1 ? "it" : "them"));
    }
  }

  // Those that are not just idle, as far as is known: they have waited in Weft once.
  std::size_t sleepers_outside(std::size_t node) const {
    const std::vector<std::uint32_t>& others = nodes_[node].standstill->others;
    return static_cast<std::size_t>(
        std::ranges::count_if(nodes_[node].shown->threads, [&](const ThreadSnapshot& each) {
          return !each.is_waiting && each.number != board::kBetweenRegions &&
                 std::ranges::find(others, each.thread) != others.end();
        }));
  }

  static std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t kMost = 8;
    std::string text;
    for (std::size_t each = 0; each < names.size() && each < kMost; ++each) {
      text += (each == 0 ? "" : ", ") + names[each];
    }
    if (names.size() > kMost) text += fmt::format(" and {} more", names.size() - kMost);
    return text;
  }

  // Threads that wait for each other's locks in a circle.
  std::string a_cycle() const {
    std::set<ThreadName> tried;
    for (const auto& [lock, holder] : holders_) {
      std::vector<ThreadName> way;
      std::optional<ThreadName> next = holder.thread;
      while (next && !tried.contains(*next)) {
        tried.insert(*next);
        way.push_back(*next);
        const ThreadSnapshot& thread = at(*next);
        const auto held = thread.is_waiting ? holder_of(thread) : std::nullopt;
        next = held ? std::optional(held->thread) : std::nullopt;
        const auto begin = next ? std::ranges::find(way, *next) : way.end();
        if (begin == way.end()) continue;
        if (way.end() - begin == 1) return {};  // its line says so
        std::string text = "in a circle: " + name_of(*begin);
        for (auto each = begin + 1; each != way.end(); ++each) {
          text += " waits for " + name_of(*each) + ", which";
        }
        return text + " waits for " + name_of(*begin);
      }
    }
    return {};
  }

  const std::vector<NodeView>& nodes_;
  const std::vector<std::string>& hosts_;
  std::map<std::uint64_t, Holder> holders_;  // by lock
  std::vector<std::string> lines_;
  bool is_stuck_ = true;
};

}  // namespace

bool all_stand_still(const std::vector<NodeView>& nodes) {
  std::uint64_t sent = 0, received = 0;
  bool handles_signals = false, may_be_ended = false;
  for (const NodeView& each : nodes) {
    if (!each.shown || !each.standstill) return false;
    sent += each.shown->messages_sent;
    received += each.shown->messages_received;
    handles_signals = handles_signals || each.standstill->handles_signals;
    may_be_ended = may_be_ended || may_be_ended_by_handler(each);
  }
  // Threads of the program that sleep outside of Weft may do so on a semaphore as well; those of
  // libomp, which are idle, look just like them.
  return !nodes.empty() && sent == received && !(handles_signals && may_be_ended);
}

bool DeadlockFinder::on_look(const std::vector<NodeView>& nodes) {
  std::vector<std::uint64_t> now;
  if (all_stand_still(nodes)) {
    for (const NodeView& each : nodes) now.push_back(each.standstill->fingerprint);
  }
  if (now != last_ || now.empty()) {
    const bool are_all_there =
        !nodes.empty() &&
        std::ranges::all_of(nodes, [](const NodeView& each) { return each.shown.has_value(); });
    has_moved_again_ = has_moved_again_ || (are_all_there && is_stuck());
    looks_ = 0;
    last_ = std::move(now);
    if (!last_.empty()) looks_ = 1;
    return false;
  }
  if (looks_ < kLooks)
    ++looks_;
  else
    return false;
  return looks_ == kLooks;
}

std::vector<std::string> deadlock_report(const std::vector<NodeView>& nodes,
                                         const std::vector<std::string>& hosts) {
  return Report(nodes, hosts).lines(/*is_stuck=*/true);
}

std::vector<std::string> wait_report(const std::vector<NodeView>& nodes,
                                     const std::vector<std::string>& hosts) {
  return Report(nodes, hosts).lines(/*is_stuck=*/false);
}

}  // namespace weft
