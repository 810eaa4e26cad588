// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks of a node that may be executed now. Each thread has a list of its own, and takes what
// it made last first, as that is what its caches (and its stack of pages) still hold; others take
// what is oldest, which in a recursion is what is largest. Tasks with a priority are apart and come
// before all others. The scheduler's lock guards it all.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include "openmp/tasks/task.hpp"

namespace weft::openmp::tasks {

class ReadyQueue {
 public:
  using Filter = std::function<bool(Task&)>;

  // Lists for threads 0 to count - 1, and one more for tasks that belong to none. All are empty.
  void set_threads(unsigned count);

  // `thread` may be the count of threads: the task is nobody's.
  void push(unsigned thread, Task& task);
  // The best task for this thread that passes the filter, taken out; or null. The filter is asked
  // in order of preference, and what it accepts is taken.
  [[nodiscard]] Task* take(unsigned thread, const Filter& accept);
  // The best for another node: as take(), but oldest first.
  [[nodiscard]] Task* take_oldest(const Filter& accept);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] unsigned nobody() const { return static_cast<unsigned>(lists_.size()) - 1; }

 private:
  struct List {
    Task *oldest = nullptr, *newest = nullptr;
    void push(Task& task);
    void remove(Task& task);
  };
  Task* take_from(List& list, bool oldest_first, const Filter& accept);
  Task* take_urgent(const Filter& accept);

  std::vector<List> lists_{1};
  std::map<std::int32_t, List, std::greater<>> urgent_;  // by priority
  std::size_t size_ = 0;
  std::size_t urgent_size_ = 0;
  unsigned next_list_ = 0;  // for other nodes, so that no thread is robbed more than another
};

}  // namespace weft::openmp::tasks
