// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/scheduling/ready_queue.hpp"

#include "base/assert.hpp"

namespace weft::openmp::tasks {

void ReadyQueue::List::push(Task& task) {
  task.older = newest;
  task.newer = nullptr;
  (newest != nullptr ? newest->newer : oldest) = &task;
  newest = &task;
}

void ReadyQueue::List::remove(Task& task) {
  (task.older != nullptr ? task.older->newer : oldest) = task.newer;
  (task.newer != nullptr ? task.newer->older : newest) = task.older;
  task.older = task.newer = nullptr;
}

void ReadyQueue::set_threads(unsigned count) {
  WEFT_ASSERT(size_ == 0, "{} tasks are left from the region before", size_);
  lists_.assign(count + 1, List());
  next_list_ = 0;
}

void ReadyQueue::push(unsigned thread, Task& task) {
  if (task.priority > 0) {
    urgent_[task.priority].push(task);
    ++urgent_size_;
  } else {
    lists_.at(thread).push(task);
  }
  ++size_;
}

Task* ReadyQueue::take_from(List& list, bool oldest_first, const Filter& accept) {
  for (Task* task = oldest_first ? list.oldest : list.newest; task != nullptr;) {
    Task* const next = oldest_first ? task->newer : task->older;
    if (accept(*task)) {
      list.remove(*task);
      --size_;
      return task;
    }
    task = next;
  }
  return nullptr;
}

Task* ReadyQueue::take_urgent(const Filter& accept) {
  if (urgent_size_ == 0) return nullptr;
  for (auto list = urgent_.begin(); list != urgent_.end(); ++list) {
    Task* const task = take_from(list->second, true, accept);
    if (task == nullptr) continue;
    --urgent_size_;
    if (list->second.oldest == nullptr) urgent_.erase(list);
    return task;
  }
  return nullptr;
}

Task* ReadyQueue::take(unsigned thread, const Filter& accept) {
  if (size_ == 0) return nullptr;
  if (Task* const task = take_urgent(accept); task != nullptr) return task;
  if (Task* const task = take_from(lists_.at(thread), false, accept); task != nullptr) return task;
  for (unsigned step = 1; step < lists_.size(); ++step) {
    List& list = lists_[(thread + step) % lists_.size()];
    if (Task* const task = take_from(list, true, accept); task != nullptr) return task;
  }
  return nullptr;
}

Task* ReadyQueue::take_oldest(const Filter& accept) {
  if (size_ == 0) return nullptr;
  if (Task* const task = take_urgent(accept); task != nullptr) return task;
  for (unsigned step = 0; step < lists_.size(); ++step) {
    next_list_ = (next_list_ + 1) % static_cast<unsigned>(lists_.size());
    if (Task* const task = take_from(lists_[next_list_], true, accept); task != nullptr)
      return task;
  }
  return nullptr;
}

}  // namespace weft::openmp::tasks
