// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/team/unsupported.hpp"

#include <fmt/format.h>

#include "openmp/team/team.hpp"
#include "stacks/stacks.hpp"

namespace weft::openmp {

void fail_unsupported(std::string_view construct, const Ident* loc) {
  const std::string place = place_of(loc);
  const std::string sentence =
      fmt::format("OpenMP: {} does not work across nodes yet{}{}; run the program on one node",
                  construct, place.empty() ? "" : ", at ", place);
  on_runtime_stack([&] { this_node()->fail(sentence); });
  __builtin_unreachable();
}

}  // namespace weft::openmp

using namespace weft::openmp;

// The old form of sections, in which threads ask for the next one. The compilers use a static loop.
WEFT_ENTRY std::int32_t __kmpc_sections_init(Ident* loc, std::int32_t gtid) {
  if (current_member() != nullptr) fail_unsupported("sections by __kmpc_sections_init", loc);
  return real().__kmpc_sections_init(loc, gtid);
}

// libomp's graph of a team's tasks. It knows nothing of those of a team that spans nodes.
WEFT_ENTRY void* __kmpc_task_get_depnode(void* task) {
  if (current_member() != nullptr) fail_unsupported("__kmpc_task_get_depnode", nullptr);
  return real().__kmpc_task_get_depnode(task);
}

WEFT_ENTRY void* __kmpc_task_get_successors(void* task) {
  if (current_member() != nullptr) fail_unsupported("__kmpc_task_get_successors", nullptr);
  return real().__kmpc_task_get_successors(task);
}
