// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages that a thread is about to overwrite whole (protocol/intervals.md, 25). They are not
// fetched, their first writes are no faults, and of a copy nothing is compared: the next diff has
// all of it.
#pragma once

#include <optional>

#include "protocol/context/context.hpp"
#include "protocol/fetching/fetcher.hpp"
#include "protocol/pages/page_access.hpp"
#include "protocol/pages/page_table.hpp"
#include "protocol/pushing/pusher.hpp"
#include "protocol/updates/merged_atomics.hpp"
#include "protocol/updates/update_streams.hpp"

namespace weft {

class Overwriting {
 public:
  Overwriting(Context& context, PageTable& table, PageAccess& access, UpdateStreams& streams,
              const MergedAtomics& merged, const Pusher& pusher, Fetcher& fetcher)
      : context_(context),
        table_(table),
        access_(access),
        streams_(streams),
        merged_(merged),
        pusher_(pusher),
        fetcher_(fetcher) {}

  // While this node is in no barrier.
  void begin(PageRange pages);

 private:
  // How a page is mapped for that; nothing: it stays as it is.
  struct Way {
    bool tracked = true;
    Twin twin = Twin::kNone;
    bool operator==(const Way&) const = default;
  };

  [[nodiscard]] std::optional<Way> way_of(PageIndex page);
  [[nodiscard]] bool may_become_copy(const Page& entry, PageIndex page) const;
  void map(PageRange pages, const Way& way);
  void become_copies(PageRange pages);

  Context& context_;
  PageTable& table_;
  PageAccess& access_;
  UpdateStreams& streams_;
  const MergedAtomics& merged_;
  const Pusher& pusher_;
  Fetcher& fetcher_;
};

}  // namespace weft
