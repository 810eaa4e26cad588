// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// strtok remembers where it was: in shared memory here, so that it goes on from there on any node.
#include <string.h>

#include "libc/interpose.hpp"
#include "process/topics.hpp"
#include "runtime/stacks.hpp"

namespace weft::process {
namespace {

char** place = nullptr;  // in shared memory, where threads find it as they find variables

}  // namespace

void prepare_words() { place = static_cast<char**>(control_block(sizeof(char*))); }

WEFT_ENTRY(char*, strtok, char* text, const char* delimiters) {
  if (WEFT_JOB_OF_CALLER() == nullptr) return WEFT_REAL(strtok)(text, delimiters);
  return strtok_r(text, delimiters, place);
}

}  // namespace weft::process
