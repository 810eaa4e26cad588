// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// UCX is to call a few functions of Weft's (transport/ucx/interposed.hpp). Where the node library
// is preloaded, they are found first. This library is loaded late and is shown to nobody, so UCX
// has found the C library's by then; its tables of functions are changed. ucm_set_global_opts alone
// is called too early for that, but found here: it is no function of the C library.
//
// Rejected: RTLD_DEEPBIND, by which UCX and Weft find their own libraries first. They would then
// see another `environ` than an executable that has a copy of it, as python3 has, and free by the C
// library's free() what a preloaded malloc has allocated.
#include <algorithm>
#include <string_view>
#include <utility>

#include <sys/mman.h>
#include <sys/timerfd.h>

#include "binding/process.hpp"
#include "runtime/libraries/loaded_objects.hpp"

namespace weft::binding {
namespace {

bool is_of_ucx(const LoadedObject& object) {
  constexpr std::string_view kNames[] = {"libucm.", "libucp.", "libucs.", "libuct."};
  return std::ranges::any_of(kNames,
                             [&](std::string_view name) { return object.name.starts_with(name); });
}

}  // namespace

void redirect_calls_of_ucx() {
  const std::pair<std::string_view, void*> functions[] = {
      {"shm_open", reinterpret_cast<void*>(&shm_open)},
      {"shm_unlink", reinterpret_cast<void*>(&shm_unlink)},
      {"timerfd_create", reinterpret_cast<void*>(&timerfd_create)}};
  for (const LoadedObject& object : loaded_objects()) {
    if (!is_of_ucx(object)) continue;
    for (const ImportedFunction& import : imported_functions(object)) {
      const auto* const found = std::ranges::find(functions, std::string_view(import.name),
                                                  &std::pair<std::string_view, void*>::first);
      if (found != std::end(functions)) write_relocated(object, import.place, found->second);
    }
  }
}

}  // namespace weft::binding
