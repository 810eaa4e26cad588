// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Faults: pages are mapped where their contents are right already, and fetched from their homes
// where not (protocol.md, 6). Both run ahead of threads that touch page after page.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "protocol/context.hpp"
#include "protocol/copy_holders.hpp"
#include "protocol/page_access.hpp"
#include "protocol/page_table.hpp"
#include "protocol/pusher.hpp"
#include "protocol/update_streams.hpp"
#include "protocol/walks.hpp"

namespace weft {

class Fetcher {
 public:
  Fetcher(Context& context, PageTable& table, PageAccess& access, UpdateStreams& streams,
          Pusher& pusher, CopyHolders& holders)
      : context_(context),
        table_(table),
        access_(access),
        streams_(streams),
        pusher_(pusher),
        holders_(holders) {}

  void fault(PageIndex page, std::uint32_t stream);
  // Asks again for pages that threads wait for, where what was asked for is out of date.
  void ask_again(const std::vector<PageIndex>& pages);

  // Copies that came otherwise: from now on they are like those that were fetched.
  void adopt(PageRange pages);

  // Told of pages that are touched: those that this node has not got, and those that were held
  // back.
  std::function<void(PageIndex)> on_missed, on_touched;

  // Up to `count` of the copies that are here, those that came longest ago, but none that is
  // spared. They are named once.
  [[nodiscard]] PageSet take_oldest(std::uint64_t count, const PageSet& spared);

  void on_request(NodeId from, Epoch epoch, const FetchRequest& message);
  void on_reply(NodeId from, const FetchReply& reply);

 private:
  // Pages ahead that are here cost nothing to map; those that are elsewhere travel. So a walk from
  // the former to the latter begins anew there, with one.
  struct ThreadWalks {
    Walks here, elsewhere;
  };

  Walks& walks_of(std::uint32_t stream, PageState state);
  std::uint32_t next_request();
  void map_held_back(PageIndex page);
  void map_what_is_here(PageRange pages, PageState state);
  // The first page and those ahead next to it that are absent and in the same state.
  [[nodiscard]] PageRange like_pages(const PagesAhead& ahead) const;
  void fetch(const PagesAhead& ahead);
  void ask(const std::map<NodeId, PageSet>& by_home, bool descending);
  void serve(NodeId to, Epoch epoch, const FetchRequest& request);

  // Pages that came together, in the order in which they came: by this request, or with their
  // initial contents (0). They are still those copies while they are mapped and valid, with the
  // same in Page::fetched, or pristine.
  struct Fetched {
    PageRange pages;
    std::uint32_t request = 0;
  };

  static void append(std::deque<Fetched>& to, const Fetched& more);
  void remember(PageRange pages, std::uint32_t request);
  [[nodiscard]] bool is_still(PageIndex page, std::uint32_t request) const;
  void forget_what_went();

  Context& context_;
  PageTable& table_;
  PageAccess& access_;
  UpdateStreams& streams_;
  Pusher& pusher_;
  CopyHolders& holders_;
  std::map<std::uint32_t, ThreadWalks> walks_;  // by thread
  std::deque<Fetched> fetched_;
  std::uint64_t fetched_pages_ = 0;  // in fetched_, whether they are still there or not
  std::size_t most_fetched_ = 0;     // of this length, fetched_ is rid of what went
  std::uint32_t last_request_ = 0;
};

}  // namespace weft
