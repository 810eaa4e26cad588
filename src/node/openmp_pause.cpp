// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hard pause has libomp shut down and begin anew on this node: it would forget the job's number
// of threads. To keep what could be given back is allowed, so a hard pause is a soft one here.
#include "libc/interposition/interpose.hpp"
#include "runtime/interface/node.hpp"

namespace weft {
namespace {

using Pause = int (*)(int kind, int device);
using PauseAll = int (*)(int kind);

constexpr int kSoft = 1, kHard = 2;  // omp_pause_resource_t

int softened(int kind) { return kind == kHard && this_node() != nullptr ? kSoft : kind; }

int pause(int kind, int device) {
  return WEFT_REAL_AS(Pause, omp_pause_resource)(softened(kind), device);
}
int pause_all(int kind) { return WEFT_REAL_AS(PauseAll, omp_pause_resource_all)(softened(kind)); }

WEFT_ENTRY(int, omp_pause_resource, int kind, int device) { return pause(kind, device); }
WEFT_ENTRY(int, omp_pause_resource_, const int* kind, const int* device) {
  return pause(*kind, *device);
}
WEFT_ENTRY(int, omp_pause_resource_all, int kind) { return pause_all(kind); }
WEFT_ENTRY(int, omp_pause_resource_all_, const int* kind) { return pause_all(*kind); }

}  // namespace
}  // namespace weft
