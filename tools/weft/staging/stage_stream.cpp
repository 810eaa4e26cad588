// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/staging/stage_stream.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>
#include <utility>

namespace weft {
namespace {

// The script reads a name as a shell's `read` does: to the end of the line, without blanks there.
bool can_be_sent(const std::string& name) {
  return name.starts_with('/') && name.find('\n') == std::string::npos && name.back() != ' ' &&
         name.back() != '\t';
}

}  // namespace

Result<std::vector<StagedFile>> files_below(const std::string& folder) {
  std::vector<StagedFile> files;
  std::error_code error;
  std::filesystem::recursive_directory_iterator each(folder, error);
  for (; !error && each != std::filesystem::recursive_directory_iterator(); each.increment(error)) {
    if (!each->is_regular_file(error) || error) continue;
    const std::string source = each->path().string();
    files.push_back({.source = source, .name = source.substr(folder.size())});
  }
  if (error) return Failure{fmt::format("{}: {}", folder, error.message())};
  return files;
}

Result<std::shared_ptr<const StageStream>> StageStream::open(const std::vector<StagedFile>& files) {
  std::shared_ptr<StageStream> stream(new StageStream);
  for (const StagedFile& each : files) {
    if (std::string reason = stream->add(each); !reason.empty()) return Failure{std::move(reason)};
  }
  stream->add_line("end\n");
  return std::shared_ptr<const StageStream>(std::move(stream));
}

StageStream::~StageStream() {
  for (const ByteView each : mapped_) {
    munmap(const_cast<std::byte*>(each.data()), each.size());
  }
}

std::string StageStream::add(const StagedFile& file) {
  if (!can_be_sent(file.name)) {
    return fmt::format("{} cannot be staged: its name has a line break or ends with a blank",
                       file.source);
  }
  const int descriptor = ::open(file.source.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (descriptor < 0 || fstat(descriptor, &status) != 0) {
    const int reason = errno;
    if (descriptor >= 0) close(descriptor);
    return fmt::format("{} cannot be staged: {}", file.source, std::strerror(reason));
  }
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void* const mapped =
      bytes == 0 ? nullptr : mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const int reason = errno;
  close(descriptor);
  if (mapped == MAP_FAILED) {
    return fmt::format("{} cannot be staged: {}", file.source, std::strerror(reason));
  }
  add_line(fmt::format("{} {}\n", bytes, file.name));
  if (bytes == 0) return {};
  mapped_.emplace_back(static_cast<const std::byte*>(mapped), bytes);
  add_piece(mapped_.back());
  return {};
}

void StageStream::add_line(std::string line) {
  lines_.push_back(std::make_unique<std::string>(std::move(line)));
  add_piece(std::as_bytes(std::span(*lines_.back())));
}

void StageStream::add_piece(ByteView bytes) {
  pieces_.push_back({.begin = bytes_, .bytes = bytes});
  bytes_ += bytes.size();
}

ByteView StageStream::from(std::uint64_t offset) const {
  if (offset >= bytes_) return {};
  const auto after = std::ranges::upper_bound(pieces_, offset, {}, &Piece::begin);
  const Piece& piece = *std::prev(after);
  return piece.bytes.subspan(offset - piece.begin);
}

}  // namespace weft
