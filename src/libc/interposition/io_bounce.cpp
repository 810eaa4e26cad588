// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "libc/interposition/io_bounce.hpp"

namespace weft::libc {

void set_wrap_io(bool on) { io_is_wrapped.store(on, std::memory_order_relaxed); }

// A deep copy, if any part of it is shared: the array, and behind it the strings.
Bounced<Texts>::Bounced(const Given<Texts>& given) : pointer_(given.argument.pointer) {
  if (pointer_ == nullptr) return;
  bool any_shared = given.node.is_shared(pointer_);
  std::size_t count = 0, string_bytes = 0;
  for (; pointer_[count] != nullptr; ++count) {
    any_shared = any_shared || given.node.is_shared(pointer_[count]);
    string_bytes += std::strlen(pointer_[count]) + 1;
  }
  if (!any_shared) return;
  auto** const array =
      static_cast<char**>(copy_.resize((count + 1) * sizeof(char*) + string_bytes));
  char* strings = reinterpret_cast<char*>(array + count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    array[i] = strings;
    strings = stpcpy(strings, pointer_[i]) + 1;
  }
  array[count] = nullptr;
  pointer_ = array;
}

}  // namespace weft::libc
