// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::locale::global in a job: set on all nodes. weftcc renames the call by --wrap; this is linked
// into what makes it.
//
// What a locale holds is on the shared heap, so all nodes use the same. The C++ library changes two
// things in it when the locale is used, and has locks and atomic instructions of one node for that:
//   a count of users     a global locale lives for ever: its count is made so large that what gets
//                        lost does not matter
//   caches of formats    are made here, before other nodes have the locale
#include <iomanip>
#include <locale>
#include <new>
#include <sstream>

#include "base/compiler_abi.h"

// libstdc++'s symbol; a locale is returned by way of its first argument.
extern "C" void __real__ZNSt6locale6globalERKS_(std::locale* previous, const std::locale* wanted);

namespace {

template <typename Character>
void make_caches(const std::locale& locale) {
  std::basic_ostringstream<Character> text;
  text.imbue(locale);
  const std::basic_string<Character> digits(3, '1');
  text << 1 << std::put_money(digits, false) << std::put_money(digits, true);
}

void keep_for_ever(const std::locale& locale) {
  constexpr int kMany = 1 << 28;
  int* const users = *reinterpret_cast<int* const*>(&locale);
  if (*users < kMany) *users += kMany;
}

// The former one is not destroyed: other nodes have it, too.
void* set_here(void* wanted) {
  alignas(std::locale) char former[sizeof(std::locale)];
  __real__ZNSt6locale6globalERKS_(reinterpret_cast<std::locale*>(former),
                                  static_cast<const std::locale*>(wanted));
  return nullptr;
}

}  // namespace

extern "C" [[gnu::visibility("hidden")]] void __wrap__ZNSt6locale6globalERKS_(
    std::locale* previous, const std::locale* wanted) {
  if (__weft_spans_nodes == 0) return __real__ZNSt6locale6globalERKS_(previous, wanted);
  if (*wanted != std::locale::classic()) {
    make_caches<char>(*wanted);
    make_caches<wchar_t>(*wanted);
    keep_for_ever(*wanted);
  }
  new (previous) std::locale();
  __weft_run_everywhere(set_here, const_cast<std::locale*>(wanted));
}
