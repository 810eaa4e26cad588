// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locales. The process's own is set on all nodes. Those that newlocale makes are made on all nodes,
// as a locale_t is used by threads of any: each node has its own copy, all at the same address, in
// a row of places that lies where nothing else does. Changes come in one order (calls.hpp), so that
// each node takes the same place. uselocale is the calling thread's alone, as it should be.
#include <langinfo.h>
#include <locale.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "libc/interposition/interpose.hpp"
#include "process/requests/topics.hpp"
#include "process/results/shared_results.hpp"
#include "stacks/stacks.hpp"

extern "C" {
locale_t __newlocale(int, const char*, locale_t) noexcept;
locale_t __duplocale(locale_t) noexcept;
void __freelocale(locale_t) noexcept;
}

namespace weft::process {
namespace {

constexpr std::uintptr_t kPlaces =
    0x5500'0000'0000;  // between FILEs and stacks (runtime/addresses/layout.hpp)
constexpr std::size_t kPlaceBytes = 256, kPlaceCount = 4096;
static_assert(sizeof(__locale_struct) <= kPlaceBytes);

locale_t originals[kPlaceCount];  // what the C library made for each place; null: a free one

bool map_places() {
  static const void* const places =
      mmap(reinterpret_cast<void*>(kPlaces), kPlaceCount * kPlaceBytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  return places != MAP_FAILED;
}

locale_t place(std::size_t number) {
  return reinterpret_cast<locale_t>(kPlaces + number * kPlaceBytes);
}

// The place's number, or kPlaceCount.
std::size_t number_of(locale_t locale) {
  const std::uintptr_t distance = reinterpret_cast<std::uintptr_t>(locale) - kPlaces;
  return distance < kPlaceCount * kPlaceBytes ? distance / kPlaceBytes : kPlaceCount;
}

locale_t original_of(locale_t locale) {
  const std::size_t number = number_of(locale);
  return number == kPlaceCount ? locale : originals[number];
}

Answer put(std::size_t number, locale_t made) {
  originals[number] = made;
  std::memcpy(reinterpret_cast<void*>(place(number)), made, sizeof *made);
  return {reinterpret_cast<std::intptr_t>(place(number))};
}

std::size_t free_place() {
  std::size_t number = 0;
  while (number < kPlaceCount && originals[number] != nullptr) ++number;
  return number;
}

Answer make(const Request& request) {
  const auto base = reinterpret_cast<locale_t>(request.b);
  std::size_t number = number_of(base);
  if (number == kPlaceCount) number = free_place();
  if (number == kPlaceCount || !map_places()) return {0, ENOMEM};
  const locale_t made =
      WEFT_REAL(newlocale)(static_cast<int>(request.a), text_of(request), original_of(base));
  return made == nullptr ? Answer{0, errno} : put(number, made);
}

Answer copy(const Request& request) {
  const std::size_t number = free_place();
  if (number == kPlaceCount || !map_places()) return {0, ENOMEM};
  const locale_t made = WEFT_REAL(duplocale)(original_of(reinterpret_cast<locale_t>(request.a)));
  return made == nullptr ? Answer{0, errno} : put(number, made);
}

Answer release(const Request& request) {
  const std::size_t number = number_of(reinterpret_cast<locale_t>(request.a));
  WEFT_REAL(freelocale)(std::exchange(originals[number], nullptr));
  return {};
}

Answer set(const Request& request) {
  const bool is_there =
      WEFT_REAL(setlocale)(static_cast<int>(request.a), text_of(request)) != nullptr;
  return {0, is_there ? 0 : ENOENT};
}

locale_t locale_everywhere(Node& node, const Request& request) {
  const Answer answer = everywhere(node, request);
  if (answer.error != 0) return errno = answer.error, nullptr;
  return reinterpret_cast<locale_t>(answer.result);
}

locale_t new_everywhere(Node& node, int categories, const char* name, locale_t base) {
  if (name == nullptr) return errno = EINVAL, nullptr;
  return locale_everywhere(node, {.call = Call::kNewLocale,
                                  .a = categories,
                                  .b = reinterpret_cast<std::intptr_t>(base),
                                  .bytes = bytes_of_text(name)});
}

locale_t copy_everywhere(Node& node, locale_t locale) {
  return locale_everywhere(
      node, {.call = Call::kCopyLocale, .a = reinterpret_cast<std::intptr_t>(locale)});
}

void free_everywhere(Node* node, locale_t locale) {
  if (number_of(locale) == kPlaceCount) return WEFT_REAL(freelocale)(locale);
  if (node == nullptr) return;  // the child of a fork
  (void)everywhere(*node,
                   {.call = Call::kFreeLocale, .a = reinterpret_cast<std::intptr_t>(locale)});
}

}  // namespace

void perform_locales() {
  perform(Call::kSetLocale, set);
  perform(Call::kNewLocale, make);
  perform(Call::kCopyLocale, copy);
  perform(Call::kFreeLocale, release);
}

WEFT_ENTRY(char*, setlocale, int category, const char* name) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(setlocale)(category, name);
  if (name != nullptr) {
    const Answer answer =
        everywhere(*node, {.call = Call::kSetLocale, .a = category, .bytes = bytes_of_text(name)});
    if (answer.error != 0) return nullptr;
  }
  return on_runtime_stack([=] { return shared_text(WEFT_REAL(setlocale)(category, nullptr)); });
}

WEFT_ENTRY(locale_t, newlocale, int categories, const char* name, locale_t base) {
  Node* const node = WEFT_JOB_OF_CALLER();
  return node == nullptr ? WEFT_REAL(newlocale)(categories, name, base)
                         : new_everywhere(*node, categories, name, base);
}
WEFT_ENTRY(locale_t, __newlocale, int categories, const char* name, locale_t base) {
  Node* const node = WEFT_JOB_OF_CALLER();
  return node == nullptr ? WEFT_REAL(newlocale)(categories, name, base)
                         : new_everywhere(*node, categories, name, base);
}
WEFT_ENTRY(locale_t, duplocale, locale_t locale) {
  Node* const node = WEFT_JOB_OF_CALLER();
  return node == nullptr ? WEFT_REAL(duplocale)(locale) : copy_everywhere(*node, locale);
}
WEFT_ENTRY(locale_t, __duplocale, locale_t locale) {
  Node* const node = WEFT_JOB_OF_CALLER();
  return node == nullptr ? WEFT_REAL(duplocale)(locale) : copy_everywhere(*node, locale);
}
WEFT_ENTRY(void, freelocale, locale_t locale) { free_everywhere(WEFT_JOB_OF_CALLER(), locale); }
WEFT_ENTRY(void, __freelocale, locale_t locale) { free_everywhere(WEFT_JOB_OF_CALLER(), locale); }

}  // namespace weft::process
