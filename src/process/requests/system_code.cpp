// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/requests/system_code.hpp"

#include <link.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace weft::process {
namespace {

struct Range {
  std::uintptr_t begin, end;
};
std::vector<Range>* ranges = nullptr;  // sorted; never destroyed

bool is_system(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  if (path.find("/ucx/") != std::string_view::npos) return true;
  constexpr std::string_view kNames[] = {
      "libweft-node.so", "libomp.so", "libiomp5.so", "libucp.so", "libuct.so",
      "libucs.so",       "libucm.so", "libibverbs",  "librdmacm", "libnuma.so",
      "libpmix.so",      "libc.so.",  "ld-linux"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [name](std::string_view each) { return name.starts_with(each); });
}

int note(dl_phdr_info* object, std::size_t, void*) {
  if (!is_system(object->dlpi_name)) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    ranges->push_back({begin, begin + segment.p_memsz});
  }
  return 0;
}

}  // namespace

void find_system_code() {
  ranges = new std::vector<Range>;
  dl_iterate_phdr(note, nullptr);
  std::sort(ranges->begin(), ranges->end(), [](Range a, Range b) { return a.begin < b.begin; });
}

bool is_system_code(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  const auto after =
      std::upper_bound(ranges->begin(), ranges->end(), wanted,
                       [](std::uintptr_t value, Range range) { return value < range.begin; });
  return after != ranges->begin() && wanted < std::prev(after)->end;
}

}  // namespace weft::process
