// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The puts and gets of one thread on shared memory that wait for pages. They ask for these when
// they begin. The thread itself copies, in the order in which it began them, once the pages are
// here or it waits: nobody else may touch the program's memory for it.
//
//   begin ──► ask ──► pages here, nothing before it? ── yes ──► perform: over
//                           │ no
//                           ▼
//                     queue ──► advance: as soon as the pages of the oldest are here
//                           └─► finish: waits for the pages of several at once
//
// No locks: all calls are the thread's, outside of the runtime's locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/bytes.hpp"
#include "base/page_range.hpp"
#include "base/remote/operation.hpp"

namespace weft::remote {

struct Record;

// The node, as far as these operations need it.
class SharedPages {
 public:
  virtual ~SharedPages() = default;
  // Asks for the pages that the operation needs and that are not here; returns all that it needs,
  // or as many as memory permits. Nobody waits.
  [[nodiscard]] virtual std::vector<PageRange> ask(std::byte* there,
                                                   const Operation& operation) = 0;
  [[nodiscard]] virtual bool are_under_way(const std::vector<PageRange>& pages) = 0;
  // Blocks until they are here.
  virtual void fetch(const std::vector<PageRange>& pages) = 0;
  // A page that was here is so still if this has not grown.
  [[nodiscard]] virtual std::uint64_t losses() = 0;
  // Copies, by faults where pages are not here after all.
  virtual void perform(std::byte* there, const Operation& operation) = 0;
  // What has begun by begin(), and waited, is over.
  virtual void end(Record& record) = 0;
};

class SharedQueue {
 public:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20;

  // True: it is over. Else it waits, and has a share of record(). What it puts has been read.
  template <typename RecordOf>
  [[nodiscard]] bool begin(SharedPages& pages, std::byte* there, const Operation& operation,
                           RecordOf&& record) {
    Waiting next{.operation = operation, .there = there};
    if (try_at_once(pages, next)) return true;
    add(std::move(next), record());
    return false;
  }
  // Does those whose pages are here, as far as none before them waits.
  void advance(SharedPages& pages);
  // The oldest so many are over when it returns, after one wait for all of them.
  void finish(SharedPages& pages, std::size_t count);
  void finish_all(SharedPages& pages) { finish(pages, queue_.size()); }
  // So many have to be over, so that those of this record are, or of the oldest `records` of them.
  [[nodiscard]] std::size_t count_until(const Record& record) const;
  [[nodiscard]] std::size_t count_of_oldest(std::size_t records) const;
  [[nodiscard]] bool empty() const { return queue_.empty(); }

 private:
  struct Waiting {
    Operation operation;  // `near` is for gets alone
    std::byte* there = nullptr;
    Bytes source{};  // of a put: its blocks, one behind the other
    std::vector<PageRange> pages{};
    std::uint64_t losses = 0;  // when they were asked for
    bool is_asked_again = false;
    Record* record = nullptr;
    std::uint64_t size = 0;  // that counts against kMostBytes
  };

  [[nodiscard]] bool try_at_once(SharedPages& pages, Waiting& next);
  void add(Waiting next, Record& record);
  [[nodiscard]] static bool is_due(SharedPages& pages, Waiting& waiting);
  void end_oldest(SharedPages& pages);

  std::deque<Waiting> queue_;
  std::uint64_t bytes_ = 0;
};

}  // namespace weft::remote
