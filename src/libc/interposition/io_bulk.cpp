// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "libc/interposition/io_bulk.hpp"

#include <limits.h>
#include <sys/mman.h>

#include <utility>

#include "base/assert.hpp"
#include "base/threads/own_memory.hpp"

namespace weft::libc {
namespace {

void* map_buffer() {
  void* const data = map_own_memory(BulkBuffer::kBytes);
  WEFT_ASSERT(data != nullptr, "out of memory for a system call's buffer");
  return data;
}

struct ThreadBuffer {
  ~ThreadBuffer() {
    if (data != nullptr) munmap(std::exchange(data, nullptr), BulkBuffer::kBytes);
    in_use = true;  // a call after the end of the thread's own objects maps one for itself
  }
  void* data = nullptr;
  bool in_use = false;
};
thread_local ThreadBuffer thread_buffer;

}  // namespace

Segments::Segments(const iovec* vectors, int count) {
  if (count < 0 || count > IOV_MAX) {
    good_ = false;
    return;
  }
  many_.assign(vectors, vectors + count);
  for (const iovec& vector : many_) {
    if (__builtin_add_overflow(total_, vector.iov_len, &total_) || total_ > SSIZE_MAX) {
      good_ = false;
      return;
    }
  }
}

bool Segments::any_shared(const Hooks& node) const {
  if (many_.empty()) return one_.iov_len > 0 && node.is_shared(one_.iov_base);
  return std::any_of(many_.begin(), many_.end(), [&node](const iovec& vector) {
    return vector.iov_len > 0 && node.is_shared(vector.iov_base);
  });
}

template <typename Move>
void Segments::for_each_piece(std::size_t offset, std::size_t bytes, Move move) const {
  const iovec* vector = many_.empty() ? &one_ : many_.data();
  for (; bytes > 0; ++vector) {
    if (offset >= vector->iov_len) {
      offset -= vector->iov_len;
      continue;
    }
    const std::size_t piece = std::min(bytes, vector->iov_len - offset);
    move(static_cast<std::byte*>(vector->iov_base) + offset, piece);
    bytes -= piece;
    offset = 0;
  }
}

void Segments::gather(std::size_t offset, void* buffer, std::size_t bytes) const {
  auto* to = static_cast<std::byte*>(buffer);
  for_each_piece(offset, bytes, [&to](const std::byte* from, std::size_t piece) {
    std::memcpy(to, from, piece);
    to += piece;
  });
}

void Segments::scatter(std::size_t offset, const void* buffer, std::size_t bytes) const {
  const auto* from = static_cast<const std::byte*>(buffer);
  for_each_piece(offset, bytes, [&from](std::byte* to, std::size_t piece) {
    std::memcpy(to, from, piece);
    from += piece;
  });
}

BulkBuffer::BulkBuffer() : data_(nullptr), is_threads_own_(!thread_buffer.in_use) {
  const int caller_errno = errno;
  if (is_threads_own_) {
    thread_buffer.in_use = true;
    if (thread_buffer.data == nullptr) thread_buffer.data = map_buffer();
    data_ = thread_buffer.data;
  } else {
    data_ = map_buffer();
  }
  errno = caller_errno;
}

BulkBuffer::~BulkBuffer() {
  const int call_errno = errno;
  if (is_threads_own_) {
    thread_buffer.in_use = false;
  } else {
    munmap(data_, kBytes);
  }
  errno = call_errno;
}

}  // namespace weft::libc
