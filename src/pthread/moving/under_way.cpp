// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/moving/under_way.hpp"

#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/libraries/program_objects.hpp"
#include "stacks/part_begin.hpp"

namespace weft::pthread {
namespace {

struct Code {
  std::uintptr_t begin, end;
  [[nodiscard]] bool has(std::uintptr_t instruction) const {
    return instruction >= begin && instruction < end;
  }
};

std::vector<Code> code_of(const dl_phdr_info& object) {
  std::vector<Code> code;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) & header = object.dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = object.dlpi_addr + header.p_vaddr;
    code.push_back({begin, begin + header.p_memsz});
  }
  return code;
}

bool has(const std::vector<Code>& code, std::uintptr_t instruction) {
  return std::ranges::any_of(code, [=](const Code& each) { return each.has(instruction); });
}

bool is_cxx_library(const dl_phdr_info& object) {
  const std::string_view path = object.dlpi_name;
  return path.substr(path.rfind('/') + 1).starts_with("libstdc++.");
}

// They have nothing of their node between two calls of the program's. Neither is ever unloaded.
const std::vector<Code>& harmless_libraries() {
  static const std::vector<Code>& code = *[] {
    auto* const found = new std::vector<Code>;
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* out) {
          const std::vector<Code> its = code_of(*object);
          const auto own = reinterpret_cast<std::uintptr_t>(&is_program_alone_under_way);
          if (has(its, own) || is_cxx_library(*object)) {
            auto& all = *static_cast<std::vector<Code>*>(out);
            all.insert(all.end(), its.begin(), its.end());
          }
          return 0;
        },
        found);
    return found;
  }();
  return code;
}

}  // namespace

bool is_program_alone_under_way() {
  (void)harmless_libraries();
  bool is_alone = true;
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* found) {
        const std::uintptr_t call = _Unwind_GetIP(frame) - 1;
        if (is_begin_of_program_part(call)) return _URC_END_OF_STACK;
        const bool is_harmless =
            is_in_program(reinterpret_cast<const void*>(call)) || has(harmless_libraries(), call);
        if (is_harmless) return _URC_NO_REASON;
        *static_cast<bool*>(found) = false;
        return _URC_END_OF_STACK;
      },
      &is_alone);
  return is_alone;
}

}  // namespace weft::pthread
