// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start/calls/remote_views.hpp"

#include "base/remote/remote_abi.hpp"

// glibc's: f(argument) at the calling thread's end.
extern "C" int __cxa_thread_atexit_impl(void (*f)(void*), void* argument, void* library);
extern "C" [[gnu::visibility("hidden")]] void* __dso_handle;

namespace weft::remote {

std::atomic<const View*> known_views[kMostViews];
constinit thread_local Place* own_places[kMostViews] = {};

namespace {

View own_view;
constinit thread_local bool gives_back = false;

// Others may take them.
void give_back_places(void*) {
  for (Place*& place : own_places) {
    if (place == nullptr) continue;
    place->key.store(0);
    place->is_taken.store(false);
    place = nullptr;
  }
}

const View* view_of_self(int& error) {
  Table* const table = __weft_remote_own_table(0);
  if (table == nullptr) {
    error = WEFT_ERROR_KEY;
    return nullptr;
  }
  own_view.table = table;  // always the same
  own_view.is_light = table->has_light_fences;
  return &own_view;
}

}  // namespace

const View* view_of(int node, int& error) {
  error = WEFT_OK;
  const View* view = known_view(node);
  if (view != nullptr) return view;
  if (node < 0 || node >= weft_nodes()) {
    error = WEFT_ERROR_NODE;
    return nullptr;
  }
  if (node == weft_node()) {
    view = view_of_self(error);
  } else {
    error = __weft_remote_reach(node, &view);
  }
  if (view != nullptr && node < kMostViews) known_views[node].store(view);
  return view;
}

Place* take_own_place(int node, Table& table) {
  if (!gives_back && __cxa_thread_atexit_impl(give_back_places, nullptr, &__dso_handle) != 0)
    return nullptr;
  gives_back = true;
  own_places[node] = table.take_place();
  return own_places[node];
}

int self() {
  static std::atomic<int> known{-1};
  int number = known.load(std::memory_order_relaxed);
  if (number < 0) known.store(number = weft_node(), std::memory_order_relaxed);
  return number;
}

}  // namespace weft::remote
