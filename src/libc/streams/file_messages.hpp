// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls on files of another node, as they travel (forwarding.hpp).
#pragma once

#include <cstdint>
#include <cstdio>

#include "base/codec.hpp"
#include "libc/streams/forwarding.hpp"

namespace weft::libc {

struct FileRequest {
  FileOperation operation = {};
  std::uint64_t file = 0;
  std::int64_t a = 0, b = 0;
  ByteView bytes;
  WEFT_FIELDS(self.operation, self.file, self.a, self.b, rest(self.bytes))

  [[nodiscard]] FILE* stream() const { return file == 0 ? stdin : reinterpret_cast<FILE*>(file); }
  [[nodiscard]] int descriptor() const { return static_cast<int>(file); }
};

// What is sent back.
struct FileReply {
  FileAnswer answer;
  int error = 0;  // the call's errno
  WEFT_FIELDS(self.answer.result, self.error, rest(self.answer.bytes))
};

}  // namespace weft::libc
