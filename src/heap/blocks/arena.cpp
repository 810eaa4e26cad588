// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/blocks/arena.hpp"

namespace weft::heap {

Arena::Taken Arena::take(SizeClass size_class) {
  Span*& current = current_[size_class];
  if (current == nullptr || current->full()) {
    auto& others = with_free_blocks_[size_class];
    if (others.empty()) return {};
    current = others.back();
    unlist(current);
  }
  return Taken{current, current->take()};
}

void Arena::install(Span* span) {
  Span*& current = current_[span->size_class()];
  if (current != nullptr && !current->full()) list(current);
  current = span;
}

bool Arena::give(Span* span, std::size_t index) {
  span->give(index);
  if (span == current_[span->size_class()]) return false;
  if (span->empty()) {
    if (span->list_position != Span::kUnlisted) unlist(span);
    return true;
  }
  if (span->list_position == Span::kUnlisted) list(span);
  return false;
}

std::vector<Span*> Arena::release_empty() {
  std::vector<Span*> released;
  for (Span*& current : current_) {
    if (current == nullptr || !current->empty()) continue;
    released.push_back(current);
    current = nullptr;
  }
  for (auto& spans : with_free_blocks_) {
    for (std::size_t i = spans.size(); i-- > 0;) {
      Span* const span = spans[i];
      if (!span->empty()) continue;
      unlist(span);
      released.push_back(span);
    }
  }
  return released;
}

void Arena::list(Span* span) {
  auto& spans = with_free_blocks_[span->size_class()];
  span->list_position = spans.size();
  spans.push_back(span);
}

void Arena::unlist(Span* span) {
  auto& spans = with_free_blocks_[span->size_class()];
  Span* const last = spans.back();
  spans[span->list_position] = last;
  last->list_position = span->list_position;
  spans.pop_back();
  span->list_position = Span::kUnlisted;
}

}  // namespace weft::heap
