// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/remote/shared_queue.hpp"

#include <algorithm>
#include <utility>

namespace weft::remote {
namespace {

// What it takes while it waits: pages, or the bytes that it puts.
std::uint64_t size_of(const Operation& operation, const std::vector<PageRange>& pages) {
  std::uint64_t in_pages = 0;
  for (const PageRange& range : pages) in_pages += range.count * kPageBytes;
  return std::max(in_pages, operation.bytes * operation.count);
}

}  // namespace

// A large put would have to be copied whole while it waits.
bool SharedQueue::try_at_once(SharedPages& pages, Waiting& next) {
  next.losses = pages.losses();
  next.pages = pages.ask(next.there, next.operation);
  next.size = size_of(next.operation, next.pages);
  advance(pages);
  if (bytes_ > 0 && bytes_ + next.size > kMostBytes) finish_all(pages);
  if (!empty()) return false;
  const bool is_large_put = next.operation.kind == Kind::kPut && next.size > kMostBytes;
  if (is_large_put) {
    pages.fetch(next.pages);
  } else if (pages.are_under_way(next.pages)) {
    return false;
  }
  pages.perform(next.there, next.operation);
  return true;
}

void SharedQueue::add(Waiting next, Record& record) {
  Operation& own = next.operation;
  if (own.kind == Kind::kPut) {
    next.source.resize(own.bytes * own.count);
    copy_blocks(next.source.data(), own.bytes, own.near, own.near_stride, own.bytes, own.count);
    own.near = nullptr;
    own.near_stride = own.bytes;
  }
  next.record = &record;
  bytes_ += next.size;
  queue_.push_back(std::move(next));
}

// Another synchronisation may have taken pages away again. They are asked for once more; then the
// copy brings them, so that every look gets on.
bool SharedQueue::is_due(SharedPages& pages, Waiting& waiting) {
  if (pages.are_under_way(waiting.pages)) return false;
  if (waiting.is_asked_again || pages.losses() == waiting.losses) return true;
  waiting.is_asked_again = true;
  waiting.pages = pages.ask(waiting.there, waiting.operation);
  return !pages.are_under_way(waiting.pages);
}

void SharedQueue::advance(SharedPages& pages) {
  while (!empty() && is_due(pages, queue_.front())) end_oldest(pages);
}

void SharedQueue::finish(SharedPages& pages, std::size_t count) {
  if (count == 0) return;
  PageSet all;
  for (std::size_t i = 0; i < count; ++i) {
    for (const PageRange& range : queue_[i].pages) all.insert(range);
  }
  pages.fetch(all.ranges());
  for (std::size_t i = 0; i < count; ++i) end_oldest(pages);
}

void SharedQueue::end_oldest(SharedPages& pages) {
  Waiting oldest = std::move(queue_.front());
  queue_.pop_front();
  bytes_ -= oldest.size;
  if (oldest.operation.kind == Kind::kPut) oldest.operation.near = oldest.source.data();
  pages.perform(oldest.there, oldest.operation);
  pages.end(*oldest.record);
}

std::size_t SharedQueue::count_until(const Record& record) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    if (queue_[i].record == &record) count = i + 1;
  }
  return count;
}

// Those of one call lie one behind the other.
std::size_t SharedQueue::count_of_oldest(std::size_t records) const {
  std::size_t count = 0;
  while (count < queue_.size()) {
    const bool is_next = count == 0 || queue_[count].record != queue_[count - 1].record;
    if (is_next && records-- == 0) break;
    ++count;
  }
  return count;
}

}  // namespace weft::remote
