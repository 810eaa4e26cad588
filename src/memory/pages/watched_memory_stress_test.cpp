// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Program threads that write while the node collects, diffs, unmaps and maps: no byte may be lost.
//
// Each writer owns every n-th byte of each page, and knows what it wrote there last. It reads its
// bytes back all the time, and at the end the home must have them all. One more class of bytes
// belongs to "another node", whose writes arrive by patch or with the page.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "base/numbers/random.hpp"
#include "base/testing/thread_state.hpp"
#include "memory/diffs/diff.hpp"
#include "memory/pages/memory_test_node.hpp"

namespace weft {
namespace {

constexpr std::uint64_t kPages = 12;
constexpr std::size_t kWriters = 3;
constexpr std::size_t kClasses = kWriters + 1;  // the last one is the other node's
constexpr int kRounds = 300;

class Storm {
 public:
  explicit Storm(const BackEnd& back_end)
      : node_(back_end, kPages), home_(kPages * kPageBytes), truth_(kPages * kPageBytes) {
    node_.bring_page = [this](PageIndex page) {
      node_.memory().install(page, {home_of(page), kPageBytes});
      node_.memory().map_tracked({page, 1}, Twin::kPresent);
    };
  }

  void run() {
    {
      const std::lock_guard guard(node_.lock);
      node_.memory().map_tracked({PageIndex(0), kPages / 2}, Twin::kInitial);
      node_.memory().map_tracked({PageIndex(kPages / 2), 4}, Twin::kPresent);  // a run: sealed
    }
    std::vector<std::thread> writers;
    for (std::size_t w = 0; w < kWriters; ++w) writers.emplace_back([this, w] { write(w); });
    Random random(7);
    // On a busy machine it takes more rounds until enough has happened.
    for (int round = 0; (round < kRounds || !has_seen_enough()) && wrong_reads_ == 0; ++round) {
      disturb(random);
      const long enough = writes_ + static_cast<long>(random.below(60));
      while (writes_ < enough && wrong_reads_ == 0) std::this_thread::yield();
    }
    stop_ = true;
    for (std::thread& writer : writers) writer.join();
    check();
  }

 private:
  [[nodiscard]] bool has_seen_enough() const {
    return diffs_ > 20 && node_.absent_faults > 20 && writes_ > 1000;
  }

  std::byte* home_of(PageIndex page) { return home_.data() + page.value() * kPageBytes; }

  void write(std::size_t writer) {
    Random random(writer + 100);
    while (!stop_) {
      const PageIndex page(random.below(kPages));
      for (int burst = 0; burst < 20; ++burst) {
        const std::size_t at = random.below(kPageBytes / kClasses) * kClasses + writer;
        std::byte& expected = truth_[page.value() * kPageBytes + at];
        if (node_.read(page, at) != static_cast<std::uint8_t>(expected)) ++wrong_reads_;
        expected = static_cast<std::byte>(random.next());
        node_.write(page, at, static_cast<std::uint8_t>(expected));
        ++writes_;
      }
    }
  }

  void send_diff(PageIndex page) {
    const Bytes diff = node_.memory().make_diff(page);
    diffs_ += diff.empty() ? 0 : 1;
    ASSERT_TRUE(apply_diff(diff, home_of(page)));
  }

  void disturb(Random& random) {
    const std::lock_guard guard(node_.lock);
    const std::uint64_t first = random.below(kPages);
    const PageRange pages{PageIndex(first), 1 + random.below(kPages - first)};
    switch (random.below(4)) {
      case 0:
        collect_and_send({PageIndex(0), kPages});
        break;
      case 1:
        take_away(pages);
        break;
      case 2:
        foreign_write(PageIndex(first), random);
        break;
      case 3:
        if (mapped(pages.first)) send_diff(pages.first);
        break;
    }
  }

  bool mapped(PageIndex page) {
    // An absent page is just that for on_fault; a mapped one is helped, which does no harm.
    return node_.memory().on_fault(page, false);
  }

  void collect_and_send(PageRange pages) {
    PageSet written;
    node_.memory().collect_written(pages, written);
    for (const PageRange& range : written.ranges()) {
      for (PageIndex page = range.first; page < range.end(); ++page) {
        if (mapped(page)) send_diff(page);
      }
    }
  }

  void take_away(PageRange pages) {
    std::vector<PageIndex> had;
    for (PageIndex page = pages.first; page < pages.end(); ++page) {
      if (mapped(page)) had.push_back(page);
    }
    node_.memory().unmap(pages);
    for (const PageIndex page : had) send_diff(page);
    node_.memory().drop(pages);
  }

  void foreign_write(PageIndex page, Random& random) {
    const std::size_t at = random.below(kPageBytes / kClasses) * kClasses + kWriters;
    const auto value = static_cast<std::byte>(random.next());
    truth_[page.value() * kPageBytes + at] = value;
    home_of(page)[at] = value;
    if (mapped(page)) {
      const std::byte held = node_.memory().contents(page)[at];
      const bool is_patched = node_.memory().patch(GlobalOffset(page.value() * kPageBytes + at),
                                                   {&held, 1}, {&value, 1});
      EXPECT_TRUE(is_patched);
    }
  }

  void check() {
    EXPECT_EQ(wrong_reads_, 0) << "a thread lost its own write";
    const std::lock_guard guard(node_.lock);
    collect_and_send({PageIndex(0), kPages});
    for (PageIndex page(0); page.value() < kPages; ++page) {
      if (mapped(page)) {
        EXPECT_TRUE(node_.memory().make_diff(page).empty())
            << "page " << page.value() << " was written and not noticed";
      }
      EXPECT_EQ(std::memcmp(home_of(page), truth_.data() + page.value() * kPageBytes, kPageBytes),
                0)
          << "page " << page.value() << " lost writes on the way home";
    }
  }

  TestNode node_;
  Bytes home_;
  Bytes truth_;  // each byte is written by its owner alone
  std::atomic<bool> stop_ = false;
  std::atomic<int> wrong_reads_ = 0;
  std::atomic<long> writes_ = 0;
  int diffs_ = 0;
};

class EveryBackEndUnderLoad : public testing::TestWithParam<NamedBackEnd> {};

TEST_P(EveryBackEndUnderLoad, NoWriteIsLost) { Storm(GetParam().back_end).run(); }

TEST_P(EveryBackEndUnderLoad, NoThreadWritesAnUnmappedPage) {
  TestNode node(GetParam().back_end, 4);
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> last = 0;
  std::atomic<pid_t> writing_thread = 0;
  auto* counter = reinterpret_cast<volatile std::uint64_t*>(node.program(PageIndex(2)));
  std::thread writer([&] {
    writing_thread = gettid();
    for (std::uint64_t value = 1; !stop; ++value) {
      *counter = value;
      last = value;
    }
  });
  const auto contents = [&] {
    std::uint64_t value = 0;
    std::memcpy(&value, node.memory().contents(PageIndex(2)).data(), sizeof value);
    return value;
  };
  while (node.absent_faults == 0) std::this_thread::yield();
  for (int round = 0; round < 50; ++round) {
    const std::uint64_t written = last;
    while (last == written) std::this_thread::yield();
    const std::lock_guard guard(node.lock);
    node.memory().unmap({PageIndex(2), 1});
    const std::uint64_t before = contents();
    // The writer's next write ends in a fault, which waits; until then it may do harm.
    while (!is_asleep(getpid(), writing_thread) && contents() == before) std::this_thread::yield();
    EXPECT_EQ(contents(), before) << "a thread wrote the page after it was unmapped";
    node.memory().map_tracked({PageIndex(2), 1}, Twin::kPresent);
  }
  stop = true;
  writer.join();
  EXPECT_EQ(contents(), last);
}

TEST_P(EveryBackEndUnderLoad, AllThreadsThatWaitForAPageWake) {
  TestNode node(GetParam().back_end, 8);
  constexpr int kThreads = 6;
  std::atomic<int> done = 0;
  std::atomic<pid_t> ids[kThreads] = {};
  std::vector<std::thread> threads;
  node.lock.lock();  // nobody is served yet
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      ids[t] = gettid();
      node.write(PageIndex(5), t, 1);
      ++done;
    });
  }
  for (const std::atomic<pid_t>& id : ids) {
    while (done == 0 && (id == 0 || !is_asleep(getpid(), id))) std::this_thread::yield();
  }
  EXPECT_EQ(done, 0);
  node.lock.unlock();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(node.absent_faults, 1);
}

TEST_P(EveryBackEndUnderLoad, AtomicsOfProgramAndRuntimeAreOne) {
  TestNode node(GetParam().back_end, 4);
  constexpr int kTimes = 200000;
  auto* sum = reinterpret_cast<std::atomic<std::uint64_t>*>(node.program(PageIndex(1)));
  std::thread program([&] {
    for (int i = 0; i < kTimes; ++i) sum->fetch_add(1);
  });
  AtomicRequest request;
  request.where = GlobalOffset(kPageBytes);
  request.size = 8;
  request.operation = AtomicOperation::kAdd;
  request.operand[0] = std::byte{1};
  for (int i = 0; i < kTimes; ++i) {
    const std::lock_guard guard(node.lock);
    (void)node.memory().perform(request);
  }
  program.join();
  EXPECT_EQ(sum->load(), 2U * kTimes);
}

INSTANTIATE_TEST_SUITE_P(Memory, EveryBackEndUnderLoad, testing::ValuesIn(testable_back_ends()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace weft
