// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Faults: pages are mapped where their contents are right already, and fetched from their homes
// where not (protocol/fetching.md, 6). Both run ahead of threads that touch page after page.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "protocol/comparisons/write_vectors.hpp"
#include "protocol/context/context.hpp"
#include "protocol/fetching/copy_queue.hpp"
#include "protocol/fetching/exposure.hpp"
#include "protocol/fetching/flag_needs.hpp"
#include "protocol/fetching/lock_needs.hpp"
#include "protocol/fetching/one_sided_reads.hpp"
#include "protocol/fetching/scattered_faults.hpp"
#include "protocol/fetching/walks.hpp"
#include "protocol/homes/copy_holders.hpp"
#include "protocol/homes/home_finder.hpp"
#include "protocol/interface/memory_use.hpp"
#include "protocol/pages/page_access.hpp"
#include "protocol/pages/page_table.hpp"
#include "protocol/pushing/pusher.hpp"
#include "protocol/updates/deferred_updates.hpp"
#include "protocol/updates/update_streams.hpp"

namespace weft {

class Fetcher {
 public:
  Fetcher(Context& context, PageTable& table, PageAccess& access, UpdateStreams& streams,
          DeferredUpdates& deferred, Pusher& pusher, CopyHolders& holders, HomeFinder& homes,
          WriteVectors& vectors, LockNeeds& lock_needs, FlagNeeds& flag_needs, Exposure& exposure)
      : context_(context),
        table_(table),
        access_(access),
        streams_(streams),
        deferred_(deferred),
        pusher_(pusher),
        holders_(holders),
        homes_(homes),
        vectors_(vectors),
        lock_needs_(lock_needs),
        flag_needs_(flag_needs),
        exposure_(exposure),
        one_sided_(context, streams),
        scattered_(context.config.scattered_proof),
        copies_(table) {}

  void fault(PageIndex page, std::uint32_t stream);
  // A thread is about to use most of these pages (protocol/fetching.md, 28). Returns how many it
  // would have faulted on, those that were never written left out.
  std::uint64_t prefetch(std::span<const PageRange> pages, MemoryUse use);
  // Those that are not here are missed as soon as a thread has the lock.
  void expect_with(LockId lock, std::span<const PageRange> pages);
  // Asks again for pages that threads wait for, where what was asked for is out of date.
  void ask_again(const std::vector<PageIndex>& pages);

  // How pages are asked for.
  struct Manner {
    bool descending = false;  // the highest is wanted first
    bool each_time = false;   // they will be asked for each time, before anybody touches them
    bool in_reply = false;    // the contents are to be in the reply
    bool in_passing = false;  // no thread has missed them
  };
  // Asks for those of these pages that are not here, once it is known where they are.
  void ask_for(const std::vector<PageIndex>& pages, Manner manner);
  // Asks for those of these pages that are not here, though nobody touches them.
  void fetch_absent(const PageSet& pages);

  // Copies that came otherwise: from now on they are like those that were fetched.
  void adopt(PageRange pages);

  [[nodiscard]] CopyQueue& copies() { return copies_; }

  void on_request(NodeId from, Epoch epoch, const FetchRequest& message);
  // All updates that the request names are applied here.
  void serve(const step::ServeFetch& step);
  void on_reply(NodeId from, const FetchReply& reply);
  void on_push(NodeId from, Epoch epoch, const Push& push);

 private:
  // Pages ahead that are here cost nothing to map; those that are elsewhere travel. So a walk from
  // the former to the latter begins anew there, with one.
  struct ThreadWalks {
    Walks here, elsewhere;
  };

  void note_owned(std::span<const PageRange> pages);
  Walks& walks_of(std::uint32_t stream, PageState state);
  std::uint32_t next_request();
  void map_held_back(PageIndex page);
  void map_what_is_here(PageRange pages, PageState state);
  // The first page and those ahead next to it that are absent and in the same state.
  [[nodiscard]] PageRange like_pages(const PagesAhead& ahead);
  void fetch(PagesAhead ahead);
  [[nodiscard]] bool is_asked_for(PageIndex page) const;
  void complete(PageRange leaf);
  void go_on(const PagesAhead& ahead);
  [[nodiscard]] std::uint64_t until_home_changes(const PagesAhead& ahead) const;
  void set_signpost(const PagesAhead& ahead);
  void ask(const std::map<NodeId, PageSet>& by_home, Manner manner);
  // In which they are to be pushed from now on, if the home will; none: they are not.
  [[nodiscard]] PhaseKey phase_of(NodeId home, const PageSet& pages, bool reads_each_time) const;
  [[nodiscard]] std::vector<ByteView> contents_of(std::span<const PageIndex> pages) const;
  void name_pages(NodeId to, const FetchRequest& request, const Pusher::Promise& promise,
                  std::span<const PageIndex> pages);
  void send_pages(NodeId to, const FetchRequest& request, const Pusher::Promise& promise,
                  std::span<const PageIndex> pages);
  void send_parts(NodeId to, const FetchRequest& request, const Pusher::Promise& promise,
                  std::span<const PageIndex> pages);
  // Those of these pages that their home exposes. Returns the others.
  [[nodiscard]] PageSet read_exposed(NodeId home, const PageSet& pages);
  [[nodiscard]] PageSet read_at_home(NodeId home, const PageSet& pages, std::uint32_t request,
                                     OneSidedReads::Pages which);
  void read_answered(NodeId home, const FetchReply& reply);
  void install(PageIndex page, ByteView contents, std::uint32_t request, bool lent,
               PageRuns& arrived);
  // The contents that were asked for by this request are in the page.
  void note_arrived(PageIndex page, std::uint32_t request, bool lent, PageRuns& arrived);
  void map_arrived(const PageRuns& arrived, std::uint32_t request);
  void reply(NodeId to, const FetchRequest& request, const Pusher::Promise& promise,
             std::span<const PageIndex> pages);

  Context& context_;
  PageTable& table_;
  PageAccess& access_;
  UpdateStreams& streams_;
  DeferredUpdates& deferred_;
  Pusher& pusher_;
  CopyHolders& holders_;
  HomeFinder& homes_;
  WriteVectors& vectors_;
  LockNeeds& lock_needs_;
  FlagNeeds& flag_needs_;
  Exposure& exposure_;
  OneSidedReads one_sided_;
  std::map<std::uint32_t, ThreadWalks> walks_;  // by thread
  ScatteredFaults scattered_;
  CopyQueue copies_;
  PageSet signposts_;  // asked for, and not to be mapped when they come: see set_signpost()
  std::uint32_t last_request_ = 0;
};

}  // namespace weft
