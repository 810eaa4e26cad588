// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/fetching/one_sided_reads.hpp"

#include <algorithm>

#include "protocol/interface/bugs.hpp"

namespace weft {

bool OneSidedReads::may_read_at(NodeId home) const {
  return context_.exposed.reaches(home) && shows(home, context_.epoch, Pages::kExposed) &&
         has_applied(home, streams_.requirement_at(home));
}

bool OneSidedReads::may_look_at(NodeId home, PageIndex page) const {
  return shows(home, context_.epoch, Pages::kExposed) &&
         has_applied(home, streams_.look_requirement_at(home, page));
}

// Where the home is in an older epoch, it lacks updates of the last one; in a younger one, its
// threads may write pages that nobody watches. A home that has named a page for the next epoch has
// all of this one in it, and keeps it until it begins to leave the next.
bool OneSidedReads::shows(NodeId home, Epoch epoch, Pages which) const {
  if (WEFT_BUG(kReadInAnyEpoch)) return true;
  const std::optional<ShownEpoch> shown = context_.exposed.epoch_of(home);
  if (which != Pages::kPushed) return shown == ShownEpoch{epoch};
  return shown && (shown->epoch == epoch || shown == ShownEpoch{epoch.plus(1)});
}

bool OneSidedReads::has_applied(NodeId home, const std::vector<StreamPosition>& requirement) const {
  if (WEFT_BUG(kReadUnapplied)) return true;
  return std::ranges::all_of(requirement, [&](const StreamPosition& needed) {
    return context_.exposed.applied_at(home, needed.node) >= needed.sequence;
  });
}

PageSet OneSidedReads::read(NodeId home, Epoch epoch, const PageSet& pages, Pages which) {
  PageSet others;
  for (PageRange rest : pages.ranges()) {
    while (rest.count > 0) {
      const PageRange read{rest.first, read_run(home, epoch, rest, which)};
      context_.counters.pages_read += read.count;
      if (read.count > 0) context_.sightings.note_seen();
      if (read.count == 0) others.insert(rest.first);
      const PageIndex next = read.count == 0 ? rest.first.plus(1) : read.end();
      rest = {next, rest.end().value() - next.value()};
    }
  }
  return others;
}

// The second look tells that the home had not begun to leave the epoch while the page was read.
// After that it may have lost the page.
std::uint64_t OneSidedReads::read_run(NodeId home, Epoch epoch, PageRange pages, Pages which) {
  ExposedMemory& exposed = context_.exposed;
  PageRange shown{pages.first, which == Pages::kExposed ? 0 : pages.count};
  while (shown.count < pages.count && exposed.is_exposed(home, shown.end())) ++shown.count;
  if (shown.count == 0 || !exposed.reaches(home) || !shows(home, epoch, which)) return 0;
  const std::span<std::byte> room = context_.memory.room(shown);
  if (room.empty() || !exposed.copy(home, pages.first, room)) return 0;
  if (!shows(home, epoch, which) && !WEFT_BUG(kReadWithoutSecondLook)) return 0;
  return room.size() / kPageBytes;
}

}  // namespace weft
