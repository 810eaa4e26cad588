// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/job/leaving.hpp"

#include <utility>

#include "base/futex.hpp"
#include "runtime/interface/call_sites.hpp"
#include "runtime/interface/hint_counts.hpp"
#include "runtime/interface/move_counts.hpp"
#include "runtime/interface/spreading.hpp"
#include "runtime/output/statistics.hpp"

namespace weft {
namespace {

constexpr std::int64_t kPatienceNanoseconds = 5'000'000'000;

// On node 0: how many others have announced that they leave. On these: whether they may.
constinit std::atomic<std::uint32_t> left = 0;

// The launcher knows the program's source; it is asked if there is anything to ask.
std::vector<SiteStatistics> counted_sites_with_places(Bootstrap& launcher) {
  std::vector<std::uint64_t> addresses;
  std::vector<SiteStatistics> sites;
  for (const CallSites::Site& each : counted_sites()->all()) {
    addresses.push_back(each.address);
    sites.push_back({.place = {}, .counts = each.counts});
  }
  if (sites.empty()) return sites;
  const std::vector<std::string> places = launcher.places_of_calls(addresses);
  for (std::size_t each = 0; each < sites.size(); ++each) {
    sites[each].place = place_of_site(addresses[each], places[each]);
  }
  return merged_by_place(std::move(sites));
}

// It waits until nobody touches shared memory.
void leave_with_others(Node& node) {
  node.notify(NodeId(0), Service::kLeaving, {});
  node.wait_while(left, 0, std::nullopt);
}

void wait_for_others(Node& node) {
  const std::int64_t until = now_ns() + kPatienceNanoseconds;
  for (;;) {
    const std::uint32_t seen = left.load(std::memory_order_acquire);
    if (seen + 1 >= node.node_count() || now_ns() >= until) return;
    node.wait_while(left, seen, until);
  }
}

void let_others_leave(Node& node) {
  for (NodeId other(1); other.value() < node.node_count(); ++other) {
    node.notify(other, Service::kLeaving, {});
  }
}

}  // namespace

void serve_leaving(Node& node) {
  node.serve(Service::kLeaving, [](NodeId, ByteView) {
    left.fetch_add(1, std::memory_order_acq_rel);
    futex_wake_all(left);
    return Bytes();
  });
}

void leave_in_order(Driver& driver) {
  if (driver.self() != NodeId(0)) return leave_with_others(driver);
  driver.announce_end();
  wait_for_others(driver);
  driver.send_everything();
  let_others_leave(driver);
}

void say_last_words(Driver& driver, std::string_view format) {
  Statistics statistics = driver.statistics();
  if (RegionAccount(*const account)() = region_account) statistics.regions = account();
  statistics.hints = hint_counts.account();
  statistics.moves = move_counts.account();
  if (driver.self() == NodeId(0)) statistics.moves.remarks = std::string(why_threads_stay);
  if (asks_for_sites(format)) statistics.sites = counted_sites_with_places(driver.bootstrap());
  print_last_words(statistics, format);
}

}  // namespace weft
