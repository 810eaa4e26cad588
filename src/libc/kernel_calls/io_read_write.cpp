// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// read and write in all their forms: on descriptors, on sockets, and what fills a buffer besides.
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/printed.hpp"
#include "libc/interposition/io_bulk.hpp"
#include "libc/ownership/mapped_files.hpp"
#include "libc/ownership/owned_files.hpp"
#include "libc/streams/forwarding.hpp"
#include "stacks/stacks.hpp"

extern "C" {
ssize_t __read_chk(int, void*, std::size_t, std::size_t);
ssize_t __pread_chk(int, void*, std::size_t, off_t, std::size_t);
ssize_t __recv_chk(int, void*, std::size_t, std::size_t, int);
ssize_t __recvfrom_chk(int, void*, std::size_t, std::size_t, int, sockaddr*, socklen_t*);
[[noreturn]] void __chk_fail();
}

namespace weft::libc {
namespace {

// True if a transfer takes several pieces and may: reading on from a regular file does not block,
// from a pipe or socket it might.
bool may_read_on(int descriptor, const Segments& segments) {
  if (segments.bytes() <= BulkBuffer::kBytes) return false;
  if (other_owner(descriptor)) return true;  // opened by name: nearly always a regular file
  return is_regular_file(descriptor);
}

// `transfer(segments)` if any of the memory is shared, or the file another node's; else
// `straight()`.
template <typename Transfer, typename Straight, typename... Memory>
ssize_t bulk(int descriptor, Transfer transfer, Straight straight, const Memory&... where) {
  const bool is_elsewhere = other_owner(descriptor).has_value();
  const Hooks* const node = is_elsewhere ? hooks() : io_node();
  if (node == nullptr) return explained(descriptor, straight());
  const ssize_t count = on_runtime_stack([&]() -> ssize_t {
    const Segments segments(where...);
    if (!segments.good()) {
      errno = EINVAL;
      return -1;
    }
    return is_elsewhere || segments.any_shared(*node) ? transfer(segments) : straight();
  });
  return explained(descriptor, count);
}

// An array of vectors may be in shared memory where its segments are not.
template <typename Straight>
ssize_t straight_vectors(const iovec* vectors, int count, Straight straight) {
  return call(
      +[](Straight* f, const iovec* v) { return (*f)(v); }, &straight,
      memory(vectors, static_cast<std::size_t>(count)));
}

using Place = off_t;
ssize_t do_pread(int fd, void* buffer, std::size_t bytes, Place place) {
  return bulk(
      fd,
      [=](const Segments& segments) {
        return read_in_pieces(segments, may_read_on(fd, segments),
                              [=](void* p, std::size_t n, std::size_t at) {
                                return transfer_in_at(fd, p, n, place + static_cast<Place>(at));
                              });
      },
      [=] { return WEFT_REAL(pread)(fd, buffer, bytes, place); }, buffer, bytes);
}

ssize_t do_pwrite(int fd, const void* buffer, std::size_t bytes, Place place) {
  return bulk(
      fd,
      [=](const Segments& segments) {
        return write_in_pieces(segments, [=](void* p, std::size_t n, std::size_t at) {
          return transfer_out_at(fd, p, n, place + static_cast<Place>(at));
        });
      },
      [=] { return WEFT_REAL(pwrite)(fd, buffer, bytes, place); }, buffer, bytes);
}

ssize_t do_read(int fd, void* buffer, std::size_t bytes) {
  return bulk(
      fd,
      [=](const Segments& segments) {
        return read_in_pieces(
            segments, may_read_on(fd, segments),
            [=](void* p, std::size_t n, std::size_t) { return transfer_in(fd, p, n); });
      },
      [=] { return WEFT_REAL(read)(fd, buffer, bytes); }, buffer, bytes);
}

ssize_t do_write(int fd, const void* buffer, std::size_t bytes) {
  return bulk(
      fd,
      [=](const Segments& segments) {
        return write_in_pieces(
            segments, [=](void* p, std::size_t n, std::size_t) { return transfer_out(fd, p, n); });
      },
      [=] { return WEFT_REAL(write)(fd, buffer, bytes); }, buffer, bytes);
}

// preadv2 and pwritev2 are the most general forms: place -1 is the file's own position.
ssize_t do_preadv(int fd, const iovec* vectors, int count, Place place, int flags) {
  if (const MappedFiles* const mapped = mapped_files()) {
    mapped->before_read(fd, place, Segments(vectors, count).bytes());
  }
  return bulk(
      fd,
      [=](const Segments& segments) {
        return read_in_pieces(
            segments, may_read_on(fd, segments), [=](void* p, std::size_t n, std::size_t at) {
              const iovec one{p, n};
              const Place here = place == -1 ? -1 : place + static_cast<Place>(at);
              if (!other_owner(fd)) return WEFT_REAL(preadv2)(fd, &one, 1, here, flags);
              return here == -1 ? transfer_in(fd, p, n) : transfer_in_at(fd, p, n, here);
            });
      },
      [=] {
        return straight_vectors(vectors, count, [=](const iovec* v) {
          return WEFT_REAL(preadv2)(fd, v, count, place, flags);
        });
      },
      vectors, count);
}

ssize_t do_pwritev(int fd, const iovec* vectors, int count, Place place, int flags) {
  const Printed printed(fd);
  const auto write = [&] {
    return bulk(
        fd,
        [=](const Segments& segments) {
          return write_in_pieces(segments, [=](void* p, std::size_t n, std::size_t at) {
            const iovec one{p, n};
            const Place here = place == -1 ? -1 : place + static_cast<Place>(at);
            if (!other_owner(fd)) return WEFT_REAL(pwritev2)(fd, &one, 1, here, flags);
            return here == -1 ? transfer_out(fd, p, n) : transfer_out_at(fd, p, n, here);
          });
        },
        [=] {
          return straight_vectors(vectors, count, [=](const iovec* v) {
            return WEFT_REAL(pwritev2)(fd, v, count, place, flags);
          });
        },
        vectors, count);
  };
  return writing_mapped(fd, place, write);
}

// A negative place is an error for the forms that take one, but "here" for preadv2.
bool valid(Place place) {
  if (place >= 0) return true;
  errno = EINVAL;
  return false;
}

ssize_t do_recvfrom(int fd, void* buffer, std::size_t bytes, int flags, sockaddr* address,
                    socklen_t* length) {
  // The address is bounced by an inner call, once for each piece; there is more than one only when
  // a stream is to be read to the end.
  const auto receive = [=](void* p, std::size_t n, std::size_t) {
    const socklen_t capacity = length == nullptr ? 0 : *length;
    return call(WEFT_REAL(recvfrom), fd, p, n, flags, Memory<sockaddr>{address, capacity},
                memory(length));
  };
  return bulk(
      fd,
      [=](const Segments& segments) {
        return read_in_pieces(segments, (flags & MSG_WAITALL) != 0, receive);
      },
      [=] { return receive(buffer, bytes, 0); }, buffer, bytes);
}

ssize_t do_sendto(int fd, const void* buffer, std::size_t bytes, int flags, const sockaddr* address,
                  socklen_t length) {
  const auto send_piece = [=](const void* p, std::size_t n, std::size_t) {
    return call(WEFT_REAL(sendto), fd, p, n, flags, Memory<const sockaddr>{address, length},
                length);
  };
  return bulk(
      fd, [=](const Segments& segments) { return write_in_pieces(segments, send_piece); },
      [=] { return send_piece(buffer, bytes, 0); }, buffer, bytes);
}

void check(std::size_t bytes, std::size_t capacity) {
  if (bytes > capacity) __chk_fail();
}

}  // namespace

WEFT_ENTRY(ssize_t, read, int fd, void* p, std::size_t n) {
  return reading_mapped(fd, -1, n, [=] { return do_read(fd, p, n); });
}
WEFT_ENTRY(ssize_t, __read_chk, int fd, void* p, std::size_t n, std::size_t capacity) {
  check(n, capacity);
  return weft_entry_read(fd, p, n);
}
WEFT_ENTRY(ssize_t, pread, int fd, void* p, std::size_t n, off_t at) {
  return reading_mapped(fd, at, n, [=] { return do_pread(fd, p, n, at); });
}
WEFT_ENTRY(ssize_t, pread64, int fd, void* p, std::size_t n, off_t at) {
  return weft_entry_pread(fd, p, n, at);
}
WEFT_ENTRY(ssize_t, __pread_chk, int fd, void* p, std::size_t n, off_t at, std::size_t capacity) {
  check(n, capacity);
  return weft_entry_pread(fd, p, n, at);
}
WEFT_ENTRY(ssize_t, __pread64_chk, int fd, void* p, std::size_t n, off_t at, std::size_t capacity) {
  check(n, capacity);
  return weft_entry_pread(fd, p, n, at);
}
WEFT_ENTRY(ssize_t, write, int fd, const void* buffer, std::size_t bytes) {
  const Printed printed(fd);
  return writing_mapped(fd, -1, [=] { return do_write(fd, buffer, bytes); });
}
WEFT_ENTRY(ssize_t, pwrite, int fd, const void* p, std::size_t n, off_t at) {
  return writing_mapped(fd, at, [=] { return do_pwrite(fd, p, n, at); });
}
WEFT_ENTRY(ssize_t, pwrite64, int fd, const void* p, std::size_t n, off_t at) {
  return weft_entry_pwrite(fd, p, n, at);
}

WEFT_ENTRY(ssize_t, readv, int fd, const iovec* v, int n) { return do_preadv(fd, v, n, -1, 0); }
WEFT_ENTRY(ssize_t, preadv, int fd, const iovec* v, int n, off_t at) {
  return valid(at) ? do_preadv(fd, v, n, at, 0) : -1;
}
WEFT_ENTRY(ssize_t, preadv64, int fd, const iovec* v, int n, off_t at) {
  return valid(at) ? do_preadv(fd, v, n, at, 0) : -1;
}
WEFT_ENTRY(ssize_t, preadv2, int fd, const iovec* v, int n, off_t at, int flags) {
  return do_preadv(fd, v, n, at, flags);
}
WEFT_ENTRY(ssize_t, preadv64v2, int fd, const iovec* v, int n, off_t at, int flags) {
  return do_preadv(fd, v, n, at, flags);
}
WEFT_ENTRY(ssize_t, writev, int fd, const iovec* v, int n) { return do_pwritev(fd, v, n, -1, 0); }
WEFT_ENTRY(ssize_t, pwritev, int fd, const iovec* v, int n, off_t at) {
  return valid(at) ? do_pwritev(fd, v, n, at, 0) : -1;
}
WEFT_ENTRY(ssize_t, pwritev64, int fd, const iovec* v, int n, off_t at) {
  return valid(at) ? do_pwritev(fd, v, n, at, 0) : -1;
}
WEFT_ENTRY(ssize_t, pwritev2, int fd, const iovec* v, int n, off_t at, int flags) {
  return do_pwritev(fd, v, n, at, flags);
}
WEFT_ENTRY(ssize_t, pwritev64v2, int fd, const iovec* v, int n, off_t at, int flags) {
  return do_pwritev(fd, v, n, at, flags);
}

WEFT_ENTRY(ssize_t, recv, int fd, void* p, std::size_t n, int flags) {
  return do_recvfrom(fd, p, n, flags, nullptr, nullptr);
}
WEFT_ENTRY(ssize_t, __recv_chk, int fd, void* p, std::size_t n, std::size_t capacity, int flags) {
  check(n, capacity);
  return do_recvfrom(fd, p, n, flags, nullptr, nullptr);
}
WEFT_ENTRY(ssize_t, recvfrom, int fd, void* p, std::size_t n, int flags, sockaddr* address,
           socklen_t* length) {
  return do_recvfrom(fd, p, n, flags, address, length);
}
WEFT_ENTRY(ssize_t, __recvfrom_chk, int fd, void* p, std::size_t n, std::size_t capacity, int flags,
           sockaddr* address, socklen_t* length) {
  check(n, capacity);
  return do_recvfrom(fd, p, n, flags, address, length);
}
WEFT_ENTRY(ssize_t, send, int fd, const void* p, std::size_t n, int flags) {
  return do_sendto(fd, p, n, flags, nullptr, 0);
}
WEFT_ENTRY(ssize_t, sendto, int fd, const void* p, std::size_t n, int flags,
           const sockaddr* address, socklen_t length) {
  return do_sendto(fd, p, n, flags, address, length);
}

WEFT_ENTRY(ssize_t, getrandom, void* buffer, std::size_t bytes, unsigned flags) {
  return bulk(
      -1,
      [=](const Segments& segments) {
        return read_in_pieces(segments, true, [=](void* p, std::size_t n, std::size_t) {
          return WEFT_REAL(getrandom)(p, n, flags);
        });
      },
      [=] { return WEFT_REAL(getrandom)(buffer, bytes, flags); }, buffer, bytes);
}
WEFT_ENTRY(int, getentropy, void* buffer, std::size_t bytes) {
  return call(WEFT_REAL(getentropy), memory(buffer, bytes), bytes);
}

}  // namespace weft::libc
