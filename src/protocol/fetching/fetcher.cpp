// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/fetching/fetcher.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "protocol/interface/bugs.hpp"

namespace weft {

void Fetcher::fault(PageIndex page, std::uint32_t stream) {
  WEFT_ASSERT(page.value() < table_.page_count(), "fault at page {}", page.value());
  Page& entry = table_.at(page);
  if (entry.mapped) return;
  ++context_.counters.faults;
  if (entry.is_held_back()) {
    map_held_back(page);
    if (const auto ahead = walks_of(stream, PageState::kInvalid).reached(page)) go_on(*ahead);
    return;
  }
  if (pusher_.is_coming(page)) {
    ++context_.counters.pushes_late;
    WEFT_PROBE(context_, kPushAwaited);
    entry.wanted = true;
    return;
  }
  Walks& walks = walks_of(stream, entry.state);
  if (entry.state == PageState::kInvalid && entry.request != 0) {
    entry.wanted = true;
    if (const auto ahead = walks.reached(page)) go_on(*ahead);
    return;
  }
  const PagesAhead ahead = walks.touched(page);
  if (entry.state == PageState::kInvalid) {
    entry.wanted = true;
    return fetch(ahead);
  }
  map_what_is_here(like_pages(ahead), entry.state);
}

Walks& Fetcher::walks_of(std::uint32_t stream, PageState state) {
  const Walks none(context_.config.read_ahead_limit, table_.page_count());
  ThreadWalks& walks = walks_.try_emplace(stream, none, none).first->second;
  return state == PageState::kInvalid ? walks.elsewhere : walks.here;
}

void Fetcher::map_what_is_here(PageRange pages, PageState state) {
  switch (state) {
    case PageState::kPristine:
      context_.counters.first_touches += pages.count;
      copies_.add(pages, 0);
      return access_.map_tracked(pages, Twin::kInitial);
    case PageState::kShared:
      return access_.map_tracked(pages, Twin::kNone);
    case PageState::kExclusive:
      return access_.map_untracked(pages);
    default:
      WEFT_ASSERT(false, "page {} is valid and not mapped", pages.first.value());
  }
}

PageRange Fetcher::like_pages(const PagesAhead& ahead) {
  PageRange pages{ahead.first, 1};
  if (std::abs(ahead.stride) != 1) return pages;
  const PageState state = table_.at(ahead.first).state;
  for (; pages.count < ahead.count; ++pages.count) {
    const PageIndex at = ahead.stride > 0 ? pages.end() : pages.first.plus(-1);
    if (table_.state_of(at) != state || table_.at(at).mapped) break;
    if (ahead.stride < 0) pages.first = at;
  }
  return pages;
}

// The thread is about to need more, if it goes on as before. A walk that has come to where another
// home begins goes on when it touches a page there.
void Fetcher::go_on(const PagesAhead& ahead) {
  const PageIndex last = ahead.first.plus(-ahead.stride);
  const PagesAhead rest{last, ahead.stride, 2};
  if (until_home_changes(rest) == 2) fetch(ahead);
}

// A walk through pages of one home may well end with them: who wrote them wrote a part of
// something. So it is not given more until it goes on.
std::uint64_t Fetcher::until_home_changes(const PagesAhead& ahead) const {
  constexpr std::uint64_t kFewPages = 8;
  if (std::abs(ahead.stride) != 1) return ahead.count;
  const auto home_at = [&](std::int64_t step) {
    const auto place = static_cast<std::int64_t>(ahead.first.value()) + ahead.stride * step;
    if (place < 0 || place >= static_cast<std::int64_t>(table_.page_count())) return kNoNode;
    return table_.home_of(PageIndex(static_cast<std::uint64_t>(place)));
  };
  // Pages of one home up to here, or up to the page before.
  const auto run_until = [&](std::int64_t end) {
    std::uint64_t run = 1;
    while (run < kFewPages && home_at(end - static_cast<std::int64_t>(run)) == home_at(end)) ++run;
    return run;
  };
  const NodeId home = home_at(0), before = home_at(-1);
  if (before != home && before != kNoNode && run_until(-1) >= kFewPages) return 1;
  std::uint64_t run = run_until(0);
  std::uint64_t count = 1;
  for (NodeId last = home; count < ahead.count; ++count, ++run) {
    const NodeId next = home_at(static_cast<std::int64_t>(count));
    if (next == last) continue;
    if (run >= kFewPages && last != kNoNode && next != kNoNode) break;
    last = next;
    run = 0;
  }
  return count;
}

void Fetcher::fetch(PagesAhead ahead) {
  const PageRange leaf = table_.leaf_of(ahead.first);
  const bool completes = ahead.count == 1 && is_asked_for(ahead.first) &&
                         scattered_.is_proof(leaf.first, context_.epoch);
  ahead.count = until_home_changes(ahead);
  std::vector<PageIndex> pages;
  for (std::uint64_t step = 0; step < ahead.count; ++step) {
    const PageIndex page = ahead.first.plus(ahead.stride * static_cast<std::int64_t>(step));
    if (table_.state_of(page) == PageState::kInvalid) pages.push_back(page);
  }
  if (context_.config.fetches_leaves) {
    for_each_page(leaf, [&](PageIndex page) {
      if (table_.state_of(page) == PageState::kInvalid) pages.push_back(page);
    });
  }
  WEFT_PROBE_IF(pages.size() > 1, context_, kReadAhead);
  set_signpost(ahead);
  ask_for(pages, {.descending = ahead.stride < 0});
  if (completes) complete(leaf);
}

// And not read, as from a node of the same host: there a fault costs little more than a page.
bool Fetcher::is_asked_for(PageIndex page) const {
  const NodeId home = table_.home_of(page);
  return home != kNoNode && !context_.exposed.reaches(home);
}

// By requests of its own: a thread waits for the page that it has touched.
void Fetcher::complete(PageRange leaf) {
  std::vector<PageIndex> rest;
  for_each_page(leaf, [&](PageIndex page) {
    const Page& entry = table_.at(page);
    const bool is_absent = entry.state == PageState::kInvalid && entry.request == 0;
    if (is_absent && is_asked_for(page)) rest.push_back(page);
  });
  if (rest.empty()) return;
  ++context_.counters.leaves_completed;
  WEFT_PROBE(context_, kLeafCompleted);
  ask_for(rest, {.in_passing = true});
}

void Fetcher::ask_for(const std::vector<PageIndex>& pages, Manner manner) {
  std::map<NodeId, PageSet> by_home;
  std::map<PageIndex, std::vector<PageIndex>> unknown;  // by leaf
  for (const PageIndex page : pages) {
    const Page& entry = table_.at(page);
    if (entry.state != PageState::kInvalid || entry.request != 0) continue;
    if (pusher_.is_coming(page)) continue;
    if (entry.has_known_home()) {
      by_home[entry.home].insert(page);
      if (manner.in_passing) continue;
      lock_needs_.note_missed(page);
      flag_needs_.note_missed(page);
    } else {
      unknown[table_.leaf_of(page).first].push_back(page);
    }
  }
  ask(by_home, manner);
  for (auto& [leaf, some] : unknown) {
    homes_.find(leaf, step::FetchPages{std::move(some), manner.descending});
  }
}

// The page in the middle of a long window is not mapped when it comes: its touch tells, without a
// message, that it is time to ask for the next window. Else a walk whose pages come faster than it
// goes would have no more faults until the window ends, and then wait for the next.
void Fetcher::set_signpost(const PagesAhead& ahead) {
  constexpr std::uint32_t kLongWindow = 32;
  if (ahead.count < std::max(2U, std::min(kLongWindow, context_.config.read_ahead_limit))) return;
  const auto step = static_cast<std::int64_t>(ahead.count - ahead.count / 2);
  const PageIndex page = ahead.first.plus(ahead.stride * step);
  if (table_.state_of(page) != PageState::kInvalid || table_.at(page).request != 0) return;
  signposts_.insert(page);
}

void Fetcher::ask_again(const std::vector<PageIndex>& pages) {
  std::map<NodeId, PageSet> by_home;
  std::vector<PageIndex> unknown;
  for (const PageIndex page : pages) {
    Page& entry = table_.at(page);
    if (entry.is_held_back()) map_held_back(page);
    if (entry.state != PageState::kInvalid || entry.request != 0) continue;
    entry.wanted = true;
    ++context_.counters.fetch_retries;
    WEFT_PROBE(context_, kFetchAgain);
    if (entry.has_known_home()) {
      by_home[entry.home].insert(page);
    } else {
      unknown.push_back(page);
    }
  }
  ask(by_home, {.in_reply = true});
  ask_for(unknown, {});
}

void Fetcher::fetch_absent(const PageSet& pages) {
  std::vector<PageIndex> absent;
  for (const PageRange& range : pages.ranges()) {
    for_each_page(range, [&](PageIndex page) {
      if (table_.state_of(page) == PageState::kInvalid) absent.push_back(page);
    });
  }
  ask_again(absent);
}

// Where the asker reads contents by itself a push would save it a message, and no more: so nobody
// pushes what is asked for each time, unless it is so little that the message is most of it.
PhaseKey Fetcher::phase_of(NodeId home, const PageSet& pages, bool reads_each_time) const {
  if (reads_each_time && pages.page_count() > context_.config.few_prefetched) return {};
  const PhaseKey phase = pusher_.phase_at(home);
  WEFT_PROBE_IF(phase != pusher_.phase(), context_, kAskedBefore);
  return phase;
}

void Fetcher::ask(const std::map<NodeId, PageSet>& by_home, Manner manner) {
  for (const auto& [home, wanted] : by_home) {
    const PageSet pages = read_exposed(home, wanted);
    if (pages.empty()) continue;
    const std::uint32_t request = next_request();
    for (const PageRange& range : pages.ranges()) {
      for_each_page(range, [&](PageIndex page) { table_.at(page).request = request; });
    }
    deferred_.prepare_to_read(home);
    ++context_.counters.fetch_requests;
    WEFT_PROBE(context_, kFetch);
    const bool reads = !manner.in_reply && context_.exposed.reaches(home);
    context_.send(home, Priority::kControl,
                  FetchRequest{.request = request,
                               .pages = pages,
                               .descending = manner.descending,
                               .reads = reads,
                               .requirement = streams_.requirement_at(home),
                               .phase = phase_of(home, pages, reads && manner.each_time),
                               .versions = vectors_.versions_of(pages)});
  }
}

// Without a message, and without a subscription: a page that is pushed is not exposed, as pages are
// pushed that are written.
PageSet Fetcher::read_exposed(NodeId home, const PageSet& pages) {
  if (!one_sided_.may_read_at(home)) return pages;
  PageSet others = read_at_home(home, pages, next_request(), OneSidedReads::Pages::kExposed);
  WEFT_PROBE_IF(others != pages, context_, kOneSidedRead);
  return others;
}

PageSet Fetcher::read_at_home(NodeId home, const PageSet& pages, std::uint32_t request,
                              OneSidedReads::Pages which) {
  PageSet others = one_sided_.read(home, context_.epoch, pages, which);
  PageRuns arrived;
  for (const PageRange& range : pages.ranges()) {
    for_each_page(range, [&](PageIndex page) {
      if (!others.contains(page)) note_arrived(page, request, true, arrived);
    });
  }
  map_arrived(arrived, request);
  return others;
}

void Fetcher::on_reply(NodeId from, const FetchReply& reply) {
  if (reply.at_home) return read_answered(from, reply);
  PageRuns arrived;
  ByteView rest = reply.contents.bytes;
  WEFT_ASSERT(rest.size() == reply.pages.size() * kPageBytes, "{} pages in {} bytes",
              reply.pages.size(), rest.size());
  for (const PageIndex page : reply.pages) {
    const ByteView contents = rest.first(kPageBytes);
    rest = rest.subspan(kPageBytes);
    // Or it was invalidated since it was asked for.
    if (table_.at(page).request != reply.request) continue;
    pusher_.subscribed(page, {reply.phase, reply.rhythm}, from);
    install(page, contents, reply.request, reply.lent, arrived);
  }
  for (const PageBlocks& part : reply.parts) {
    if (table_.at(part.page).request != reply.request) continue;
    pusher_.subscribed(part.page, {reply.phase, reply.rhythm}, from);
    install(part.page, vectors_.complete(part), reply.request, reply.lent, arrived);
    vectors_.note_version(part.page, part.version);
  }
  map_arrived(arrived, reply.request);
}

// The home has answered, so the pages need not be exposed. If it has left the epoch meanwhile, this
// node hears of that, too; a thread that waits here may be outside the team, and asks again.
void Fetcher::read_answered(NodeId home, const FetchReply& reply) {
  PageSet pages;
  for (const PageIndex page : reply.pages) {
    if (table_.at(page).request == reply.request) pages.insert(page);
  }
  const PageSet others = read_at_home(home, pages, reply.request, OneSidedReads::Pages::kAnswered);
  std::vector<PageIndex> wanted;
  for (const PageRange& range : pages.ranges()) {
    for_each_page(range, [&](PageIndex page) {
      if (!others.contains(page))
        return pusher_.subscribed(page, {reply.phase, reply.rhythm}, home);
      Page& entry = table_.at(page);
      entry.request = 0;
      // The home takes it to be here.
      if (!WEFT_BUG(kOweUnread)) entry.owed = false;
      if (std::exchange(entry.wanted, false)) wanted.push_back(page);
    });
  }
  WEFT_PROBE_IF(!pages.empty() && others.empty(), context_, kAnswerRead);
  WEFT_PROBE_IF(!others.empty(), context_, kAnswerUnread);
  if (!WEFT_BUG(kForgetUnread)) ask_again(wanted);
}

void Fetcher::map_arrived(const PageRuns& arrived, std::uint32_t request) {
  for (const PageRange& range : arrived) {
    access_.map_tracked(range, Twin::kPresent);
    copies_.add(range, request);
  }
}

void Fetcher::install(PageIndex page, ByteView contents, std::uint32_t request, bool lent,
                      PageRuns& arrived) {
  context_.memory.install(page, contents);
  note_arrived(page, request, lent, arrived);
}

void Fetcher::note_arrived(PageIndex page, std::uint32_t request, bool lent, PageRuns& arrived) {
  Page& entry = table_.at(page);
  table_.turn(entry, page, PageEvent::kFetched);
  entry.lent = lent;
  entry.fetched = request;
  entry.request = 0;
  const bool is_signpost = signposts_.contains(page);
  if (is_signpost) signposts_.erase(page);
  const bool stays_away = is_signpost && !entry.wanted;
  entry.wanted = false;
  entry.owed = false;
  if (!stays_away) arrived.add(page);
  ++context_.counters.pages_fetched;
}

// --- what was fetched, or pushed ---

void Fetcher::on_push(NodeId from, Epoch epoch, const Push& push) {
  // The home shows the epoch that begins before it pushes, and has arrived in the one that ends
  // where its arrival names the pages. It may have left both: behind a publication nobody waits for
  // anybody.
  const PageSet at_home = pusher_.to_read(from, epoch, push);
  const PageSet unread = one_sided_.read(from, epoch, at_home, OneSidedReads::Pages::kPushed);
  WEFT_PROBE_IF(unread != at_home, context_, kPushRead);
  WEFT_PROBE_IF(!unread.empty(), context_, kPushUnread);
  const Pusher::Taken taken = pusher_.take(from, epoch, push, unread);
  for (const PageRange& range : taken.mapped) adopt(range);
  ask_again(taken.wanted);
}

std::uint32_t Fetcher::next_request() {
  if (++last_request_ == 0) ++last_request_;
  return last_request_;
}

void Fetcher::adopt(PageRange pages) {
  const std::uint32_t request = next_request();
  for_each_page(pages, [&](PageIndex page) { table_.at(page).fetched = request; });
  copies_.add(pages, request);
}

void Fetcher::map_held_back(PageIndex page) {
  PageSet pages = access_.set_aside_around(page);
  pages.insert(page);
  pages.insert(pusher_.note_touched(page));
  lock_needs_.note_touched(page);
  for (const PageRange& range : pages.ranges()) {
    access_.map_tracked(range, Twin::kPresent);
    adopt(range);
  }
}

}  // namespace weft
