// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Faults: pages are mapped where their contents are right already, and fetched from their homes
// where not (protocol.md, 6). Both run ahead of threads that touch page after page.
#pragma once

#include <map>
#include <vector>

#include "protocol/context.hpp"
#include "protocol/page_access.hpp"
#include "protocol/page_table.hpp"
#include "protocol/update_streams.hpp"

namespace weft {

class Fetcher {
 public:
  Fetcher(Context& context, PageTable& table, PageAccess& access, UpdateStreams& streams)
      : context_(context), table_(table), access_(access), streams_(streams) {}

  void fault(PageIndex page, std::uint32_t stream);
  // Asks again for pages that threads wait for, where what was asked for is out of date.
  void ask_again(const std::vector<PageIndex>& pages);

  void on_request(NodeId from, Epoch epoch, const FetchRequest& message);
  void on_reply(const FetchReply& reply);

 private:
  // One thread's walk through memory.
  struct Stream {
    PageIndex next;  // a fault here continues the walk
    std::uint32_t window = 0;
  };

  std::uint64_t grow_window(Stream& stream, PageIndex page) const;
  // The pages from `page` on, at most `window`, that are absent and in the same state as it.
  [[nodiscard]] PageRange like_pages(PageIndex page, std::uint64_t window) const;
  void fetch_window(PageIndex page, std::uint64_t window);
  void ask(const std::map<NodeId, PageSet>& by_home);
  void serve(NodeId to, Epoch epoch, const FetchRequest& request);

  Context& context_;
  PageTable& table_;
  PageAccess& access_;
  UpdateStreams& streams_;
  std::map<std::uint32_t, Stream> walks_;
  std::uint32_t last_request_ = 0;
};

}  // namespace weft
