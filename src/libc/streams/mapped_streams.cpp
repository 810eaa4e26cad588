// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "libc/streams/mapped_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "libc/interposition/interpose.hpp"
#include "libc/ownership/mapped_files.hpp"
#include "libc/ownership/owned_files.hpp"
#include "libc/streams/forwarding.hpp"

extern "C" {
// The C library's list of its streams.
extern FILE* _IO_list_all;
void _IO_list_lock();
void _IO_list_unlock();
}

namespace weft::libc {
namespace {

// A stream that has no buffer yet will have one of st_blksize bytes.
constexpr std::size_t kLeastBuffer = std::size_t{64} << 10;

std::size_t difference(const char* end, const char* begin) {
  return end > begin ? static_cast<std::size_t>(end - begin) : 0;
}
// Its characters are in a buffer of their own, which only the C library knows.
bool is_wide(const FILE* stream) { return stream->_mode > 0; }
std::size_t unread(const FILE* stream) {
  return is_wide(stream) ? 0 : difference(stream->_IO_read_end, stream->_IO_read_ptr);
}
std::size_t unwritten(const FILE* stream) {
  if (is_wide(stream)) return 1;
  return difference(stream->_IO_write_ptr, stream->_IO_write_base);
}

// The calls on mapped files, if the stream's file is mapped. Keeps errno.
const MappedFiles* mapped_file_of(const FILE* stream) {
  const MappedFiles* const mapped = mapped_files();
  if (mapped == nullptr || stream == nullptr || other_owner(stream)) return nullptr;
  const int file = stream->_fileno;
  return file >= 0 && mapped->length(file) >= 0 ? mapped : nullptr;
}

off_t position_of(int file) {
  const int call_errno = errno;
  const bool appends = (WEFT_REAL(fcntl)(file, F_GETFL) & O_APPEND) != 0;
  const off_t position = WEFT_REAL(lseek)(file, 0, SEEK_CUR);
  const off_t end = appends ? mapped_files()->length(file) : position;
  errno = call_errno;
  return std::max(position, end);
}

// Of a stream of another node: its descriptor, if the file is mapped; else -1.
int mapped_file_elsewhere(NodeId owner, const FILE* stream) {
  const MappedFiles* const mapped = stream == stdin ? nullptr : mapped_files();
  if (mapped == nullptr) return -1;
  const std::int64_t file = ask_for_number(owner, FileOperation::kDescriptor, number_of(stream));
  return file >= 0 && mapped->length(static_cast<int>(file)) >= 0 ? static_cast<int>(file) : -1;
}

off_t position_elsewhere(NodeId owner, int file) {
  return ask_for_number(owner, FileOperation::kMove, number_of(file), 0, SEEK_CUR);
}

// What the owner's calls have left in the buffer gets to where the position is.
void settle_elsewhere(NodeId owner, const FILE* stream, int file, off_t begin) {
  (void)ask_for_number(owner, FileOperation::kFlush, number_of(stream));
  const off_t end = position_elsewhere(owner, file);
  if (end > begin) {
    mapped_files()->after_write(file, begin, static_cast<std::size_t>(end - begin));
  }
}

}  // namespace

StreamReads::StreamReads(FILE* stream, std::size_t bytes) {
  if (installed_mapped_files.load(std::memory_order_relaxed) == nullptr) [[likely]]
    return;
  if (const auto owner = other_owner(stream)) {
    settle_stream(stream);
    const int file = mapped_file_elsewhere(*owner, stream);
    if (file >= 0) mapped_files()->before_read(file, 0, kAnyBytes);
    return;
  }
  if (stream == nullptr || unread(stream) >= bytes) return;
  const MappedFiles* const mapped = mapped_file_of(stream);
  if (mapped == nullptr) return;
  lock_.emplace(stream);
  settle_stream(stream);
  const std::size_t buffer = difference(stream->_IO_buf_end, stream->_IO_buf_base);
  const std::size_t more = 2 * std::max(buffer, kLeastBuffer);
  mapped->before_read(stream->_fileno, -1, bytes > kAnyBytes - more ? kAnyBytes : bytes + more);
}

StreamWrites::StreamWrites(FILE* stream, std::size_t bytes) {
  if (installed_mapped_files.load(std::memory_order_relaxed) == nullptr) [[likely]]
    return;
  if (const auto owner = other_owner(stream)) {
    begin_elsewhere(*owner, stream);
    return;
  }
  if (stream == nullptr || difference(stream->_IO_write_end, stream->_IO_write_ptr) > bytes) return;
  if (mapped_file_of(stream) == nullptr) return;
  lock_.emplace(stream);
  stream_ = stream;
  file_ = stream->_fileno;
  // What was read ahead of the program is given back, so that the position is where it writes.
  if (unread(stream) > 0) (void)WEFT_REAL(fflush_unlocked)(stream);
  begin_ = position_of(file_);
}

// Memory gets to the file first: with O_APPEND the position may be far from where is written.
void StreamWrites::begin_elsewhere(NodeId owner, FILE* stream) {
  file_ = mapped_file_elsewhere(owner, stream);
  if (file_ < 0) return;
  stream_ = stream;
  mapped_files()->before_read(file_, 0, kAnyBytes);
  begin_ = position_elsewhere(owner, file_);
}

StreamWrites::~StreamWrites() {
  if (stream_ == nullptr) [[likely]]
    return;
  const int call_errno = errno;
  if (const auto owner = other_owner(stream_)) {
    settle_elsewhere(*owner, stream_, file_, begin_);
  } else {
    const off_t end = WEFT_REAL(lseek)(file_, 0, SEEK_CUR);
    if (end > begin_) {
      mapped_files()->after_write(file_, begin_, static_cast<std::size_t>(end - begin_));
    }
  }
  errno = call_errno;
}

void settle_stream(FILE* stream) {
  if (installed_mapped_files.load(std::memory_order_relaxed) == nullptr) [[likely]]
    return;
  if (stream == nullptr) return;
  const bool is_elsewhere = other_owner(stream).has_value();
  if (!is_elsewhere && unwritten(stream) == 0) return;
  const StreamWrites writes(stream, kAnyBytes);
  if (!is_elsewhere) (void)WEFT_REAL(fflush)(stream);
}

void settle_before_seek(FILE* stream) {
  settle_stream(stream);
  if (mapped_file_of(stream) != nullptr) {  // of this node; elsewhere it is done already
    mapped_files()->before_read(stream->_fileno, 0, kAnyBytes);
  }
}

std::size_t bytes_until(const FILE* stream, int delimiter) {
  if (other_owner(stream) || unread(stream) == 0) return kAnyBytes;
  const bool is_there = std::memchr(stream->_IO_read_ptr, delimiter, unread(stream)) != nullptr;
  return is_there ? 0 : kAnyBytes;
}

FILE* note_stream(FILE* stream, const char* mode) {
  const MappedFiles* const mapped = stream == nullptr ? nullptr : mapped_files();
  if (mapped != nullptr) mapped->after_open(stream->_fileno, *mode == 'w' ? O_TRUNC : 0);
  return stream;
}

void settle_streams() {
  if (mapped_files() == nullptr) return;
  _IO_list_lock();
  for (FILE* each = _IO_list_all; each != nullptr; each = each->_chain) settle_stream(each);
  _IO_list_unlock();
}

}  // namespace weft::libc
