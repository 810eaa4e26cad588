// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The home's half of fetching: a request is kept until the updates are here that the asker must
// see, and answered in replies of a few pages.
#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "protocol/fetching/fetcher.hpp"
#include "protocol/interface/bugs.hpp"

namespace weft {
namespace {

// Pages in one reply. The first of many pages are in use before the last have been sent; and the
// very first, which a thread waits for, come in a short reply of their own. A message of so many
// pages is one piece to the networks, which would else put it together in a buffer of their own.
constexpr std::size_t kReplyPages = 8;
constexpr std::size_t kFirstReplyPages = 4;
// Of pages that the asker reads at their home.
constexpr std::size_t kReadPages = 64;

// Cuts ascending pages into replies, in the order in which they are wanted.
std::vector<std::span<const PageIndex>> replies_of(std::span<const PageIndex> pages,
                                                   bool descending, std::size_t later) {
  std::vector<std::span<const PageIndex>> replies;
  std::size_t most = kFirstReplyPages;
  while (!pages.empty()) {
    const std::size_t count = std::min(most, pages.size());
    replies.push_back(descending ? pages.last(count) : pages.first(count));
    pages = descending ? pages.first(pages.size() - count) : pages.subspan(count);
    most = later;
  }
  return replies;
}

std::uint64_t version_in(const FetchRequest& request, PageIndex page) {
  const auto named = std::ranges::find(request.versions, page, &PageVersion::page);
  return named == request.versions.end() ? 0 : named->version;
}

}  // namespace

void Fetcher::on_request(NodeId from, Epoch epoch, const FetchRequest& message) {
  std::vector<StreamPosition> requirement = message.requirement;
  if (WEFT_BUG(kServeTooEarly)) requirement.clear();
  const step::ServeFetch next{from, epoch, message};
  if (streams_.applied_or_keep(requirement, next)) serve(next);
}

// Pages that are side by side in memory are one piece: the network copies it all in one go.
std::vector<ByteView> Fetcher::contents_of(std::span<const PageIndex> pages) const {
  std::vector<ByteView> pieces;
  for (const PageIndex page : pages) {
    const ByteView contents = context_.memory.contents(page);
    if (!pieces.empty() && pieces.back().data() + pieces.back().size() == contents.data()) {
      pieces.back() = {pieces.back().data(), pieces.back().size() + contents.size()};
    } else {
      pieces.push_back(contents);
    }
  }
  return pieces;
}

void Fetcher::serve(const step::ServeFetch& step) {
  const auto& [to, epoch, request] = step;
  PageRuns untracked;
  std::vector<PageIndex> pages;
  for (const PageRange& range : request.pages.ranges()) {
    for_each_page(range, [&](PageIndex page) {
      Page& entry = table_.at(page);
      if (!entry.is_home()) {
        // The home has moved. The asker learns that with the end of the epoch, and asks again.
        WEFT_ASSERT(epoch < context_.epoch, "node {} asked node {} for page {}, homed at {}",
                    to.value(), context_.config.self.value(), page.value(), entry.home.value());
        return;
      }
      if (entry.state == PageState::kExclusive && !WEFT_BUG(kServeWithoutTracking)) {
        table_.turn(entry, page, PageEvent::kGivenAway);
        if (entry.mapped) untracked.add(page);
      }
      holders_.note(page, to);
      pages.push_back(page);
    });
  }
  if (request.reads) pusher_.note_reader(to);
  // Before the contents are copied: what is written from now on will be found.
  for (const PageRange& range : untracked) access_.start_tracking(range);
  for (const auto& [promise, some] : pusher_.subscribe(to, epoch, request.phase, pages)) {
    reply(to, request, promise, some);
  }
  context_.counters.pages_served += pages.size();
  exposure_.note_served(to, pages, request.descending);
}

// Who reads here is told which pages he may read, and gets the contents of the others.
void Fetcher::reply(NodeId to, const FetchRequest& request, const Pusher::Promise& promise,
                    std::span<const PageIndex> pages) {
  std::vector<PageIndex> read, sent;
  const auto is_read = [&](PageIndex page) {
    return request.reads && !vectors_.is_on() && pusher_.may_lend(page);
  };
  std::ranges::partition_copy(pages, std::back_inserter(read), std::back_inserter(sent), is_read);
  for (const auto& some : replies_of(read, request.descending, kReadPages)) {
    name_pages(to, request, promise, some);
  }
  for (const auto& some : replies_of(sent, request.descending, kReplyPages)) {
    if (vectors_.is_on()) {
      send_parts(to, request, promise, some);
    } else {
      send_pages(to, request, promise, some);
    }
  }
}

void Fetcher::name_pages(NodeId to, const FetchRequest& request, const Pusher::Promise& promise,
                         std::span<const PageIndex> pages) {
  context_.send(to, Priority::kData,
                FetchReply{.request = request.request,
                           .phase = promise.phase,
                           .rhythm = promise.rhythm,
                           .pages = {pages.begin(), pages.end()},
                           .lent = true,
                           .at_home = true});
}

void Fetcher::send_pages(NodeId to, const FetchRequest& request, const Pusher::Promise& promise,
                         std::span<const PageIndex> pages) {
  FetchReply reply{.request = request.request,
                   .phase = promise.phase,
                   .rhythm = promise.rhythm,
                   .pages = {pages.begin(), pages.end()},
                   .lent = true};
  if (std::ranges::all_of(pages, [this](PageIndex page) { return pusher_.may_lend(page); })) {
    return context_.send_with(to, Priority::kData, reply, contents_of(pages));
  }
  reply.lent = false;
  std::vector<ByteView> pieces;
  for (const PageIndex page : pages) pieces.push_back(access_.shown_contents(page));
  context_.send_with_copy(to, Priority::kData, reply, pieces);
}

void Fetcher::send_parts(NodeId to, const FetchRequest& request, const Pusher::Promise& promise,
                         std::span<const PageIndex> pages) {
  FetchReply reply{.request = request.request, .phase = promise.phase, .rhythm = promise.rhythm};
  for (const PageIndex page : pages) {
    reply.parts.push_back(vectors_.blocks_since(page, version_in(request, page)));
  }
  context_.send(to, Priority::kData, reply);
}

}  // namespace weft
