// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A board as who starts the node holds it: made before the node, read while it runs and after it
// has died.
#pragma once

#include <utility>

#include "base/result.hpp"
#include "runtime/board/board_layout.hpp"

namespace weft::board {

class BoardFile {
 public:
  // Nobody can make the file shorter afterwards: reading it is no risk.
  [[nodiscard]] static Result<BoardFile> create();
  BoardFile() = default;
  ~BoardFile();
  BoardFile(BoardFile&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)),
        board_(std::exchange(other.board_, nullptr)) {}
  BoardFile& operator=(BoardFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(board_, other.board_);
    return *this;
  }

  // For the node (kBoardDescriptorVariable); this file's own, closed on exec.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  // The node has it: this process needs its mapping alone.
  void close_descriptor();
  // Null where there is none.
  [[nodiscard]] const Board* board() const { return board_; }

 private:
  int descriptor_ = -1;
  const Board* board_ = nullptr;
};

}  // namespace weft::board
