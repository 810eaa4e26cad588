// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a node says about itself at the end, if it is asked to (docs/reference/counters.md).
#include <fmt/format.h>

#include "runtime/driver.hpp"

namespace weft {

std::string Driver::statistics() const {
  const EngineCounters& c = engine_.counters();
  const TransportCounters& t = parts_.transport->counters();
  return fmt::format(
      "weft: node {}: faults {}, first touches {}, pages fetched {} in {} requests, served {}, "
      "invalidated {}, evicted {}; diffs {} of {} bytes, updates {}; intervals {}, homes moved {} "
      "kept {}; barriers {} with {} contributions, publications {}, posts {}; lock requests {}, "
      "local grants {}; atomics {} here, {} remote; messages {} control {} data, bytes {} + {}\n",
      self().value(), c.faults, c.first_touches, c.pages_fetched, c.fetch_requests, c.pages_served,
      c.pages_invalidated, c.pages_evicted, c.diffs_made, c.diff_bytes, c.updates_sent,
      c.intervals_closed, c.homes_moved, c.homes_kept, c.barriers, c.contributions_sent,
      c.publications, c.posts_sent, c.lock_remote_requests, c.lock_local_grants, c.atomics_local,
      c.atomics_remote, t.messages_sent[0], t.messages_sent[1], t.bytes_sent[0], t.bytes_sent[1]);
}

}  // namespace weft
