// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/fetcher.hpp"

#include <algorithm>

#include "protocol/bugs.hpp"

namespace weft {
namespace {

// Pages in one reply: the first of a large window is in use before the last has been sent.
constexpr std::size_t kReplyPages = 16;

}  // namespace

void Fetcher::fault(PageIndex page, std::uint32_t stream) {
  WEFT_ASSERT(page.value() < table_.page_count(), "fault at page {}", page.value());
  Page& entry = table_.at(page);
  if (entry.mapped) return;
  ++context_.counters.faults;
  Stream& walk = walks_[stream];
  if (entry.state == PageState::kInvalid && entry.request != 0) {
    entry.wanted = true;
    return run_ahead(walk, page);
  }
  const std::uint64_t window = grow_window(walk, page);
  if (entry.state == PageState::kInvalid) {
    entry.wanted = true;
    walk.next = page.plus(static_cast<std::int64_t>(window));
    return fetch_window(page, window);
  }
  const PageRange pages = like_pages(page, window);
  walk.next = pages.end();
  switch (entry.state) {
    case PageState::kPristine:
      context_.counters.first_touches += pages.count;
      return access_.map_tracked(pages, Base::kInitial);
    case PageState::kShared:
      return access_.map_tracked(pages, Base::kNone);
    case PageState::kExclusive:
      return access_.map_untracked(pages);
    default:
      WEFT_ASSERT(false, "page {} is valid and not mapped", page.value());
  }
}

std::uint64_t Fetcher::grow_window(Stream& walk, PageIndex page) const {
  const bool continues = walk.window > 0 && walk.next == page;
  const std::uint32_t limit = std::max(context_.config.read_ahead_limit, 1U);
  walk.window = continues ? std::min(walk.window * 2, limit) : 1;
  return std::min<std::uint64_t>(walk.window, table_.page_count() - page.value());
}

// The stream waits for a page that was asked for. Once it is in the last half of what was, the next
// window is due: the home sends while the thread uses what has come.
void Fetcher::run_ahead(Stream& walk, PageIndex page) {
  if (walk.window < 2 || page >= walk.next || walk.next.value() >= table_.page_count()) return;
  if (walk.next.value() - page.value() > walk.window / 2) return;
  const PageIndex first = walk.next;
  const std::uint64_t window = grow_window(walk, first);
  walk.next = first.plus(static_cast<std::int64_t>(window));
  fetch_window(first, window);
}

PageRange Fetcher::like_pages(PageIndex page, std::uint64_t window) const {
  const PageState state = table_.find(page)->state;
  PageRange pages{page, 1};
  for (; pages.count < window; ++pages.count) {
    // A page that nothing is known of has its own first fault, which makes its table entry.
    const Page* next = table_.find(pages.end());
    if (!next || next->mapped || next->state != state) break;
  }
  return pages;
}

void Fetcher::fetch_window(PageIndex page, std::uint64_t window) {
  std::map<NodeId, PageSet> by_home;
  for_each_page(PageRange{page, window}, [&](PageIndex ahead) {
    const Page* entry = table_.find(ahead);
    if (!entry || entry->state != PageState::kInvalid || entry->request != 0) return;
    by_home[entry->home].insert(ahead);
  });
  ask(by_home);
}

void Fetcher::ask_again(const std::vector<PageIndex>& pages) {
  std::map<NodeId, PageSet> by_home;
  for (const PageIndex page : pages) {
    Page& entry = table_.at(page);
    if (entry.state != PageState::kInvalid || entry.request != 0) continue;
    entry.wanted = true;
    by_home[entry.home].insert(page);
    ++context_.counters.fetch_retries;
  }
  ask(by_home);
}

void Fetcher::ask(const std::map<NodeId, PageSet>& by_home) {
  for (const auto& [home, pages] : by_home) {
    if (++last_request_ == 0) ++last_request_;
    for (const PageRange& range : pages.ranges()) {
      for_each_page(range, [&](PageIndex page) { table_.at(page).request = last_request_; });
    }
    ++context_.counters.fetch_requests;
    context_.send(home, Priority::kControl,
                  FetchRequest{last_request_, pages, streams_.requirement_at(home)});
  }
}

void Fetcher::on_request(NodeId from, Epoch epoch, const FetchRequest& message) {
  std::vector<StreamPosition> requirement = message.requirement;
  if (WEFT_BUG(kServeTooEarly)) requirement.clear();
  streams_.when_applied(std::move(requirement),
                        [this, from, epoch, message] { serve(from, epoch, message); });
}

void Fetcher::serve(NodeId to, Epoch epoch, const FetchRequest& request) {
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
        entry.state = PageState::kShared;
        if (entry.mapped) untracked.add(page);
      }
      pages.push_back(page);
    });
  }
  // Before the contents are copied: what is written from now on will be found.
  for (const PageRange& range : untracked) access_.start_tracking(range);
  FetchReply reply{request.request, {}};
  for (const PageIndex page : pages) {
    reply.pages.push_back({page, context_.memory.contents(page)});
    if (reply.pages.size() < kReplyPages && page != pages.back()) continue;
    context_.send(to, Priority::kData, reply);
    reply.pages.clear();
  }
  context_.counters.pages_served += pages.size();
}

void Fetcher::on_reply(const FetchReply& reply) {
  PageRuns arrived;
  for (const PageBytes& bytes : reply.pages) {
    Page& entry = table_.at(bytes.page);
    if (entry.request != reply.request) continue;  // invalidated since it was asked for
    WEFT_ASSERT(entry.state == PageState::kInvalid, "page {} was asked for in state {}",
                bytes.page.value(), static_cast<int>(entry.state));
    WEFT_ASSERT(bytes.bytes.size() == kPageBytes, "page of {} bytes", bytes.bytes.size());
    context_.memory.install(bytes.page, bytes.bytes);
    entry.state = PageState::kValid;
    entry.fetched = reply.request;
    entry.request = 0;
    entry.wanted = false;
    arrived.add(bytes.page);
    ++context_.counters.pages_fetched;
  }
  for (const PageRange& range : arrived) {
    access_.map_tracked(range, Base::kPresent);
    remember(range, reply.request);
  }
}

// --- what was fetched ---

void Fetcher::remember(PageRange pages, std::uint32_t request) {
  fetched_pages_ += pages.count;
  if (!fetched_.empty() && fetched_.back().request == request &&
      fetched_.back().pages.end() == pages.first) {
    fetched_.back().pages.count += pages.count;
    return;
  }
  fetched_.push_back({pages, request});
  if (fetched_.size() > most_fetched_) forget_what_went();
}

bool Fetcher::is_still(PageIndex page, std::uint32_t request) const {
  const Page* entry = table_.find(page);
  return entry->state == PageState::kValid && entry->fetched == request;
}

// What is left has a page each that is named nowhere else, so that this stays in proportion to what
// is here, however often it came and went.
void Fetcher::forget_what_went() {
  constexpr std::size_t kLeast = 4096;
  std::erase_if(fetched_, [this](const Fetched& each) {
    bool any = false;
    for_each_page(each.pages, [&](PageIndex page) { any = any || is_still(page, each.request); });
    if (!any) fetched_pages_ -= each.pages.count;
    return !any;
  });
  most_fetched_ = std::max(kLeast, 2 * fetched_.size());
}

PageSet Fetcher::take_oldest(std::uint64_t count) {
  PageSet oldest;
  while (count > 0 && fetched_pages_ > context_.config.kept_pages) {
    Fetched& first = fetched_.front();
    const PageIndex page = first.pages.first;
    if (is_still(page, first.request)) {
      oldest.insert(page);
      --count;
    }
    --fetched_pages_;
    first.pages = {page.plus(1), first.pages.count - 1};
    if (first.pages.count == 0) fetched_.pop_front();
  }
  return oldest;
}

}  // namespace weft
