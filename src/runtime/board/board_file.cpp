// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/board/board_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace weft::board {

Result<BoardFile> BoardFile::create() {
  BoardFile file;
  file.descriptor_ = memfd_create("weft-board", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file.descriptor_ < 0 || ftruncate(file.descriptor_, sizeof(Board)) != 0 ||
      fcntl(file.descriptor_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return Failure{fmt::format("no memory for a node's board: {}", std::strerror(errno))};
  }
  void* const mapped = mmap(nullptr, sizeof(Board), PROT_READ, MAP_SHARED, file.descriptor_, 0);
  if (mapped == MAP_FAILED) {
    return Failure{fmt::format("cannot map a node's board: {}", std::strerror(errno))};
  }
  file.board_ = static_cast<const Board*>(mapped);
  return file;
}

BoardFile::~BoardFile() {
  close_descriptor();
  if (board_ != nullptr) munmap(const_cast<Board*>(board_), sizeof(Board));
}

void BoardFile::close_descriptor() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

}  // namespace weft::board
