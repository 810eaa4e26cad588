// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "libc/streams/forwarding.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <wchar.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/threads/own_calls.hpp"
#include "libc/interposition/hooks.hpp"
#include "libc/interposition/interpose.hpp"
#include "libc/interposition/refusal.hpp"
#include "libc/ownership/kept_descriptors.hpp"
#include "libc/ownership/owned_files.hpp"
#include "libc/processes/shell.hpp"
#include "libc/streams/control_arguments.hpp"
#include "libc/streams/file_messages.hpp"
#include "stacks/stacks.hpp"

namespace weft::libc {
namespace {

// What one request or answer carries at most.
constexpr std::int64_t kPieceBytes = std::int64_t{256} << 10;

using Request = FileRequest;
using Reply = FileReply;

FileAnswer of_object(std::int64_t result, const void* object, std::size_t bytes) {
  const auto* begin = static_cast<const std::byte*>(object);
  return {result, Bytes(begin, begin + bytes)};
}

// `read(buffer, bytes)` into an answer.
template <typename Read>
FileAnswer reading(std::int64_t most, Read read) {
  Bytes bytes(static_cast<std::size_t>(std::clamp<std::int64_t>(most, 0, kPieceBytes)));
  const auto count = static_cast<std::int64_t>(read(bytes.data(), bytes.size()));
  bytes.resize(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
  return {count, std::move(bytes)};
}

FileAnswer read_line(const Request& request) {
  FILE* const stream = request.stream();
  return reading(request.a, [&](std::byte* to, std::size_t most) {
    std::size_t count = 0;
    flockfile(stream);
    while (count < most) {
      const int got = getc_unlocked(stream);
      if (got == EOF) break;
      to[count++] = static_cast<std::byte>(got);
      if (got == request.b) break;
    }
    funlockfile(stream);
    return count;
  });
}

FileAnswer reopen(const Request& request) {
  if (std::ranges::count(request.bytes, std::byte{0}) != 2 ||
      request.bytes.back() != std::byte{0}) {
    fail_unreadable("a path and a mode", request.bytes.size());
  }
  const auto* const path = reinterpret_cast<const char*>(request.bytes.data());
  const char* const mode = path + std::strlen(path) + 1;
  FILE* const stream = WEFT_REAL(freopen)(*path == '\0' ? nullptr : path, mode, request.stream());
  return {stream != nullptr};
}

FileAnswer perform_on_stream(const Request& request) {
  FILE* const stream = request.stream();
  switch (request.operation) {
    case FileOperation::kWrite:
      return {static_cast<std::int64_t>(
          WEFT_REAL(fwrite)(request.bytes.data(), 1, request.bytes.size(), stream))};
    case FileOperation::kRead:
      return reading(request.a, [stream](void* to, std::size_t most) {
        return WEFT_REAL(fread)(to, 1, most, stream);
      });
    case FileOperation::kReadLine:
      return read_line(request);
    case FileOperation::kGet:
      return {WEFT_REAL(fgetc)(stream)};
    case FileOperation::kUnget:
      return {WEFT_REAL(ungetc)(static_cast<int>(request.a), stream)};
    case FileOperation::kGetWide:
      return {static_cast<std::int64_t>(WEFT_REAL(fgetwc)(stream))};
    case FileOperation::kUngetWide:
      return {
          static_cast<std::int64_t>(WEFT_REAL(ungetwc)(static_cast<wint_t>(request.a), stream))};
    case FileOperation::kFlush:
      return {WEFT_REAL(fflush)(stream)};
    case FileOperation::kSeek:
      return {WEFT_REAL(fseeko)(stream, request.a, static_cast<int>(request.b))};
    case FileOperation::kTell:
      return {WEFT_REAL(ftello)(stream)};
    case FileOperation::kRewind:
      return WEFT_REAL(rewind)(stream), FileAnswer{0};
    case FileOperation::kGetPosition: {
      fpos_t position = {};
      const int result = WEFT_REAL(fgetpos)(stream, &position);
      return of_object(result, &position, sizeof position);
    }
    case FileOperation::kSetPosition: {
      fpos_t position = {};
      std::memcpy(&position, request.bytes.data(), std::min(request.bytes.size(), sizeof position));
      return {WEFT_REAL(fsetpos)(stream, &position)};
    }
    case FileOperation::kEnd:
      return {WEFT_REAL(feof)(stream)};
    case FileOperation::kError:
      return {WEFT_REAL(ferror)(stream)};
    case FileOperation::kClearError:
      return WEFT_REAL(clearerr)(stream), FileAnswer{0};
    case FileOperation::kDescriptor:
      return {WEFT_REAL(fileno)(stream)};
    case FileOperation::kSetBuffer:
      return {WEFT_REAL(setvbuf)(stream, nullptr, static_cast<int>(request.a),
                                 static_cast<std::size_t>(request.b))};
    case FileOperation::kReopen:
      return reopen(request);
    case FileOperation::kCloseProcess:
      return {close_shell(stream)};
    default:
      return {WEFT_REAL(fclose)(stream)};
  }
}

// `perform(argument)` on a copy of the request's bytes, which goes back; or on a number.
template <typename Perform>
FileAnswer with_argument(const Request& request, std::size_t expected, Perform perform) {
  if (request.bytes.size() != expected)
    fail_unreadable("an argument for a descriptor", request.bytes.size());
  Bytes bytes(request.bytes.begin(), request.bytes.end());
  void* const argument = bytes.empty() ? reinterpret_cast<void*>(request.b) : bytes.data();
  const int result = perform(argument);
  return {result, std::move(bytes)};
}

int control(int file, int command, void* argument) {
  if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
    return place_own_descriptor(WEFT_REAL(fcntl)(file, F_DUPFD_CLOEXEC, 3));
  return WEFT_REAL(fcntl)(file, command, argument);
}

FileAnswer perform_control(const Request& request) {
  const int file = request.descriptor();
  const int number = static_cast<int>(request.a);
  switch (request.operation) {
    case FileOperation::kControl:
      return with_argument(request, bytes_of_command(number),
                           [=](void* it) { return control(file, number, it); });
    case FileOperation::kControlDevice: {
      const auto device_request = static_cast<unsigned long>(request.a);
      return with_argument(request, bytes_of_request(device_request),
                           [=](void* it) { return WEFT_REAL(ioctl)(file, device_request, it); });
    }
    case FileOperation::kLock:
      return {WEFT_REAL(flock)(file, number)};
    case FileOperation::kLockRegion:
      return {WEFT_REAL(lockf)(file, number, request.b)};
    case FileOperation::kSetMode:
      return {WEFT_REAL(fchmod)(file, static_cast<mode_t>(request.a))};
    case FileOperation::kSetOwner:
      return {
          WEFT_REAL(fchown)(file, static_cast<uid_t>(request.a), static_cast<gid_t>(request.b))};
    case FileOperation::kSetTimes:
      return with_argument(
          request, request.bytes.empty() ? 0 : 2 * sizeof(timespec), [=](void* it) {
            return WEFT_REAL(futimens)(file, static_cast<const struct timespec*>(it));
          });
    case FileOperation::kFileSystem: {
      struct statfs system = {};
      const int result = WEFT_REAL(fstatfs)(file, &system);
      return of_object(result, &system, sizeof system);
    }
    default: {
      struct statvfs limits = {};
      const int result = WEFT_REAL(fstatvfs)(file, &limits);
      return of_object(result, &limits, sizeof limits);
    }
  }
}

FileAnswer perform_on_descriptor(const Request& request) {
  const int file = request.descriptor();
  const ByteView bytes = request.bytes;
  switch (request.operation) {
    case FileOperation::kReadHere:
      return reading(request.a, [file](void* to, std::size_t most) {
        return WEFT_REAL(read)(file, to, most);
      });
    case FileOperation::kReadAt:
      return reading(request.a, [&](void* to, std::size_t most) {
        return WEFT_REAL(pread)(file, to, most, request.b);
      });
    case FileOperation::kWriteHere:
      return {WEFT_REAL(write)(file, bytes.data(), bytes.size())};
    case FileOperation::kWriteAt:
      return {WEFT_REAL(pwrite)(file, bytes.data(), bytes.size(), request.b)};
    case FileOperation::kMove:
      return {WEFT_REAL(lseek)(file, request.a, static_cast<int>(request.b))};
    case FileOperation::kStatus: {
      struct stat status = {};
      const int result = WEFT_REAL(fstat)(file, &status);
      return of_object(result, &status, sizeof status);
    }
    case FileOperation::kSetLength:
      return {WEFT_REAL(ftruncate)(file, request.a)};
    case FileOperation::kSynchronise:
      return {WEFT_REAL(fsync)(file)};
    case FileOperation::kAccessMode: {
      const int flags = WEFT_REAL(fcntl)(file, F_GETFL);
      return {flags < 0 ? -1 : flags & O_ACCMODE};
    }
    case FileOperation::kDuplicate:
      return {place_own_descriptor(WEFT_REAL(fcntl)(file, F_DUPFD_CLOEXEC, 3))};
    case FileOperation::kDuplicateTo:
      closed_descriptors &= ~(1U << request.a);
      return {WEFT_REAL(dup2)(file, static_cast<int>(request.a))};
    case FileOperation::kPoll: {
      pollfd one = {file, static_cast<short>(request.a), 0};
      return {WEFT_REAL(poll)(&one, 1, 0) < 0 ? -1 : one.revents};
    }
    case FileOperation::kIsTerminal:
      return {WEFT_REAL(isatty)(file)};
    default:
      return {WEFT_REAL(close)(file)};
  }
}

}  // namespace

FileAnswer ask(NodeId owner, FileOperation operation, std::uint64_t file, std::int64_t a,
               std::int64_t b, ByteView bytes) {
  const Request request{.operation = operation, .file = file, .a = a, .b = b, .bytes = bytes};
  auto reply = value_of<Reply>(hooks()->ask_for_file(owner, to_bytes(request)));
  errno = reply.error;
  return std::move(reply.answer);
}

std::int64_t ask_for_number(NodeId owner, FileOperation operation, std::uint64_t file,
                            std::int64_t a, std::int64_t b) {
  return on_runtime_stack([=] { return ask(owner, operation, file, a, b).result; });
}

void explain_closed(int descriptor) {
  const Hooks* const node = hooks();
  const bool may_be_elsewhere = node != nullptr && node->node_count > 1 && !in_forked_child &&
                                descriptor > STDERR_FILENO && descriptor < kFirstOwnedDescriptor;
  if (!may_be_elsewhere || OwnCalls::here()) return;
  on_runtime_stack([=] {
    for (NodeId other; other.value() < node->node_count; ++other) {
      if (other == node->self) continue;
      if (ask(other, FileOperation::kControl, number_of(descriptor), F_GETFD).result < 0) continue;
      fail_job.load()(fmt::format("a call on descriptor {}, which is open on node {} alone: pipes, "
                                  "sockets and what eventfd, timerfd and epoll make stay with the "
                                  "node that made them; use them in threads of that node "
                                  "(weft_thread_on, weft run --threads-on here)",
                                  descriptor, other.value())
                          .c_str());
    }
  });
  errno = EBADF;
}

Bytes perform_file_operation(ByteView in) {
  const auto request = value_of<Request>(in);
  Reply reply;
  errno = 0;
  if (request.operation >= FileOperation::kReadHere && is_kept(request.descriptor())) {
    reply.error = EBADF;
    return to_bytes(reply);
  }
  reply.answer = request.operation < FileOperation::kReadHere  ? perform_on_stream(request)
                 : request.operation < FileOperation::kControl ? perform_on_descriptor(request)
                                                               : perform_control(request);
  reply.error = errno;
  return to_bytes(reply);
}

namespace {

// In pieces, as long as they are full ones; less is the end, or all that there is yet.
ssize_t ask_to_read(NodeId owner, FileOperation operation, std::uint64_t file, void* to,
                    std::size_t bytes, off_t place) {
  auto* const begin = static_cast<std::byte*>(to);
  std::size_t done = 0;
  for (;;) {
    const std::size_t piece = std::min(bytes - done, static_cast<std::size_t>(kPieceBytes));
    const auto at = place + static_cast<off_t>(done);
    const FileAnswer answer = ask(owner, operation, file, static_cast<std::int64_t>(piece), at);
    if (answer.result < 0) return done > 0 ? static_cast<ssize_t>(done) : -1;
    std::memcpy(begin + done, answer.bytes.data(), answer.bytes.size());
    done += answer.bytes.size();
    if (answer.bytes.size() < piece || done == bytes) return static_cast<ssize_t>(done);
  }
}

// All of it unless the owner writes less.
ssize_t ask_to_write(NodeId owner, FileOperation operation, std::uint64_t file, const void* from,
                     std::size_t bytes, off_t place) {
  const auto* begin = static_cast<const std::byte*>(from);
  std::size_t done = 0;
  do {
    const std::size_t piece = std::min(bytes - done, static_cast<std::size_t>(kPieceBytes));
    const auto at = place + static_cast<off_t>(done);
    const std::int64_t count = ask(owner, operation, file, 0, at, {begin + done, piece}).result;
    if (count < 0) return done > 0 ? static_cast<ssize_t>(done) : -1;
    done += static_cast<std::size_t>(count);
    if (static_cast<std::size_t>(count) != piece) break;
  } while (done < bytes);
  return static_cast<ssize_t>(done);
}

}  // namespace

std::size_t read_elsewhere(NodeId owner, FILE* stream, void* to, std::size_t bytes) {
  const FileOperation read = FileOperation::kRead;
  return static_cast<std::size_t>(ask_to_read(owner, read, number_of(stream), to, bytes, 0));
}

std::size_t write_elsewhere(NodeId owner, FILE* stream, const void* from, std::size_t bytes) {
  const FileOperation write = FileOperation::kWrite;
  return static_cast<std::size_t>(ask_to_write(owner, write, number_of(stream), from, bytes, 0));
}

ssize_t transfer_in(int descriptor, void* to, std::size_t bytes) {
  const auto owner = other_owner(descriptor);
  if (!owner) return WEFT_REAL(read)(descriptor, to, bytes);
  return ask_to_read(*owner, FileOperation::kReadHere, number_of(descriptor), to, bytes, 0);
}

ssize_t transfer_in_at(int descriptor, void* to, std::size_t bytes, off_t place) {
  const auto owner = other_owner(descriptor);
  if (!owner) return WEFT_REAL(pread)(descriptor, to, bytes, place);
  return ask_to_read(*owner, FileOperation::kReadAt, number_of(descriptor), to, bytes, place);
}

ssize_t transfer_out(int descriptor, const void* from, std::size_t bytes) {
  const auto owner = other_owner(descriptor);
  if (!owner) return WEFT_REAL(write)(descriptor, from, bytes);
  return ask_to_write(*owner, FileOperation::kWriteHere, number_of(descriptor), from, bytes, 0);
}

ssize_t transfer_out_at(int descriptor, const void* from, std::size_t bytes, off_t place) {
  const auto owner = other_owner(descriptor);
  if (!owner) return WEFT_REAL(pwrite)(descriptor, from, bytes, place);
  return ask_to_write(*owner, FileOperation::kWriteAt, number_of(descriptor), from, bytes, place);
}

}  // namespace weft::libc
