// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of the calls before loops are heard: not those of a place that has called in vain, and not
// those that say the same again.
#pragma once

#include <cstdint>
#include <optional>

#include "base/numbers/mixed.hpp"
#include "runtime/compiled_code/prefetch_sites.hpp"
#include "runtime/interface/call_sites.hpp"
#include "runtime/interface/node.hpp"
#include "stacks/stacks.hpp"

namespace weft {

// Of the numbers that a call says. Other numbers have another digest, but for bad luck.
class CallDigest {
 public:
  explicit CallDigest(std::uint64_t first) : value_(first) {}
  void add(std::uint64_t value) {
    value_ = mixed(value_ ^ value);
    value_ ^= value_ >> 32U;
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_;
};

// Whether this thread's last call at that place was for the same pages, and nothing was lost since.
[[nodiscard]] bool is_repeated(std::uintptr_t place, std::uint64_t digest, std::uint64_t losses);

struct HeardCall {
  Node& node;
  PrefetchSite& site;
  SiteCounters* counters;
  std::uint64_t digest;
};

// `caller`: what its counters go by. Several accesses of one caller fare each by itself, by their
// places. digest() is only called if the place is heard.
template <typename Digest>
[[nodiscard]] std::optional<HeardCall> hear_call(std::uintptr_t caller, std::uintptr_t place,
                                                 PrefetchSite::Ticks now, Digest digest) {
  PrefetchSite& site = PrefetchSite::at(place);
  const auto leave_out = [](SiteCounters* counters) {
    count_at(counters, SiteCount::kNotHeard);
    return std::nullopt;
  };
  if (site.is_left_out(now)) return leave_out(count_call(caller));
  SiteCounters* const counters = count_call(caller);
  Node* const node = this_node();
  // A handler may have interrupted anything, the runtime for one.
  if (node == nullptr || is_in_signal_handler()) return leave_out(counters);
  const std::uint64_t said = digest();
  if (is_repeated(place, said, node->access_losses())) {
    site.note_repetition(now);
    return leave_out(counters);
  }
  return HeardCall{*node, site, counters, said};
}

}  // namespace weft
