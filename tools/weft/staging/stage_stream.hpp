// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of a stage as one stream of bytes, as the script on a host reads them
// (stage_script.hpp):
//
//   SIZE /NAME\n CONTENTS    for each file; the name is its path below the folder
//   end\n
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace weft {

struct StagedFile {
  std::string source;  // where it is on this host
  std::string name;    // below the folder, with a slash before it
};

// All regular files below the folder, for a host that hands on what it was given.
[[nodiscard]] Result<std::vector<StagedFile>> files_below(const std::string& folder);

// Does not change once it is open, so several connections may send it at once.
class StageStream {
 public:
  // Maps all files. Fails with a sentence if one cannot be read, or has a name that cannot be sent.
  static Result<std::shared_ptr<const StageStream>> open(const std::vector<StagedFile>& files);
  ~StageStream();
  StageStream(const StageStream&) = delete;
  StageStream& operator=(const StageStream&) = delete;

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  // The bytes from there on, as far as they lie together; none at the end.
  [[nodiscard]] ByteView from(std::uint64_t offset) const;

 private:
  struct Piece {
    std::uint64_t begin = 0;  // in the stream
    ByteView bytes;
  };

  StageStream() = default;
  // A sentence if it cannot be added.
  [[nodiscard]] std::string add(const StagedFile& file);
  void add_line(std::string line);
  void add_piece(ByteView bytes);

  std::uint64_t bytes_ = 0;
  std::vector<Piece> pieces_;  // none is empty
  std::vector<std::unique_ptr<std::string>> lines_;
  std::vector<ByteView> mapped_;
};

}  // namespace weft
