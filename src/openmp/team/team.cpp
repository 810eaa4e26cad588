// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/team/team.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/numbers/mixed.hpp"

namespace weft::openmp {
namespace {

thread_local Member* member = nullptr;
std::atomic<Team*> team{nullptr};

}  // namespace

Member* current_member() { return member; }
void set_current_member(Member* m) { member = m; }

Team* present_team() { return team.load(std::memory_order_relaxed); }
void set_present_team(Team* t) { team.store(t, std::memory_order_relaxed); }

LoopTable& loop_table() {
  static LoopTable table(this_node()->self());
  return table;
}

PhaseKey phase_key(Microtask microtask, const void* site) {
  const std::uint64_t region = mixed(reinterpret_cast<std::uintptr_t>(microtask));
  return PhaseKey((region ^ (region >> 32)) + reinterpret_cast<std::uintptr_t>(site));
}

// No barrier is called from the microtask's own address.
PhaseKey phase_after(Microtask microtask) {
  return phase_key(microtask, reinterpret_cast<const void*>(microtask));
}

unsigned threads_of_team_per_node(const Node& node, unsigned team_size) {
  const unsigned nodes = node.node_count();
  return std::max(node.threads_per_node(), (team_size + nodes - 1) / nodes);
}

void flush_output() { std::fflush(stdout); }

std::string place_of(const Ident* loc) {
  if (loc == nullptr || loc->text == nullptr) return {};
  // ";file;function;line;column;;"
  std::string_view text = loc->text;
  std::string_view fields[3];
  for (std::string_view& field : fields) {
    if (text.empty() || text.front() != ';') return {};
    text.remove_prefix(1);
    const std::size_t end = text.find(';');
    if (end == std::string_view::npos) return {};
    field = text.substr(0, end);
    text.remove_prefix(end);
  }
  if (fields[0] == "unknown") return {};
  return std::string(fields[0]) + ":" + std::string(fields[2]);
}

}  // namespace weft::openmp
