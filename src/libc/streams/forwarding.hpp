// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls on files that another node has opened (owned_files.hpp): what is asked of that node, and
// how it is done there. The bytes travel with the request or the answer, so that the owner does not
// touch the asker's memory.
#pragma once

#include <sys/types.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "libc/interposition/io_bounce.hpp"
#include "libc/ownership/owned_files.hpp"
#include "stacks/stacks.hpp"

namespace weft::libc {

enum class FileOperation : std::uint8_t {
  // on FILEs
  kWrite,     // bytes; the result is how many were written
  kRead,      // up to `a` bytes
  kReadLine,  // up to `a` bytes, to the character `b` at most
  kGet,
  kUnget,  // `a`
  kGetWide,
  kUngetWide,  // `a`
  kFlush,
  kSeek,  // by `a` from `b`
  kTell,
  kRewind,
  kGetPosition,  // an fpos_t
  kSetPosition,
  kEnd,
  kError,
  kClearError,
  kDescriptor,
  kSetBuffer,  // mode `a`, size `b`
  kClose,
  kReopen,  // bytes: path and mode, the path empty for none; the result is 1 if it went well
  kCloseProcess,
  // on descriptors
  kReadHere,   // up to `a` bytes
  kReadAt,     // up to `a` bytes at `b`
  kWriteHere,  // bytes
  kWriteAt,    // bytes at `b`
  kMove,       // by `a` from `b`
  kStatus,     // a struct stat
  kSetLength,  // `a`
  kSynchronise,
  kIsTerminal,
  kAccessMode,   // O_RDONLY, O_WRONLY or O_RDWR
  kDuplicate,    // the new descriptor, in its place
  kDuplicateTo,  // `a`
  kPoll,         // for the events `a`, at once; the result is what was found
  kCloseDescriptor,
  // what else can be done with them (kernel_calls/io_control.cpp)
  kControl,           // fcntl's `a`; its argument is the bytes, which come back, or the number `b`
  kControlDevice,     // ioctl's `a`; likewise
  kLock,              // flock's `a`
  kLockRegion,        // lockf's `a` of `b` bytes
  kSetMode,           // `a`
  kSetOwner,          // user `a`, group `b`
  kSetTimes,          // two struct timespec, or none: now
  kFileSystem,        // a struct statfs
  kFileSystemLimits,  // a struct statvfs
};

struct FileAnswer {
  std::int64_t result = -1;
  Bytes bytes = {};
};

// Asks the file's owner and waits; errno is the call's. Called on the runtime stack, as everything
// here that has no other word on it.
FileAnswer ask(NodeId owner, FileOperation operation, std::uint64_t file, std::int64_t a = 0,
               std::int64_t b = 0, ByteView bytes = {});

// Of standard input: 0.
inline std::uint64_t number_of(const FILE* stream) {
  return stream == stdin ? 0 : reinterpret_cast<std::uintptr_t>(stream);
}
inline std::uint64_t number_of(int descriptor) { return static_cast<std::uint64_t>(descriptor); }

// The same on any stack, of operations whose answer is a number.
std::int64_t ask_for_number(NodeId owner, FileOperation operation, std::uint64_t file,
                            std::int64_t a = 0, std::int64_t b = 0);

// The same of operations whose answer is an object, if the result is 0.
template <typename Object>
int ask_for_object(NodeId owner, FileOperation operation, std::uint64_t file, Object* out) {
  return on_runtime_stack([=] {
    const FileAnswer answer = ask(owner, operation, file);
    if (answer.result == 0) std::memcpy(out, answer.bytes.data(), sizeof *out);
    return static_cast<int>(answer.result);
  });
}

// A call with these numbers on a descriptor: `real`, which may have local variables for the kernel
// (isatty, lockf), or the operation at another node that has opened it. On any stack.
template <typename Result, typename... Numbers>
Result of_descriptor(FileOperation operation, Result (*real)(int, Numbers...), int descriptor,
                     std::type_identity_t<Numbers>... numbers) {
  const auto owner = other_owner(descriptor);
  if (!owner) return call(real, descriptor, numbers...);
  return static_cast<Result>(ask_for_number(*owner, operation, number_of(descriptor),
                                            static_cast<std::int64_t>(numbers)...));
}

// The transfers, into and out of private memory; on this node or the owner's.
ssize_t transfer_in(int descriptor, void* to, std::size_t bytes);
ssize_t transfer_in_at(int descriptor, void* to, std::size_t bytes, off_t place);
ssize_t transfer_out(int descriptor, const void* from, std::size_t bytes);
ssize_t transfer_out_at(int descriptor, const void* from, std::size_t bytes, off_t place);

// The same for streams of another node.
std::size_t read_elsewhere(NodeId owner, FILE* stream, void* to, std::size_t bytes);
std::size_t write_elsewhere(NodeId owner, FILE* stream, const void* from, std::size_t bytes);

// After a call on a descriptor that said EBADF: ends the job with a sentence if another node has it
// open, as a pipe or a socket (owned_files.hpp). errno stays.
void explain_closed(int descriptor);
template <typename Result>
Result explained(int descriptor, Result result) {
  if (result == -1 && errno == EBADF) [[unlikely]]
    explain_closed(descriptor);
  return result;
}

// Does what another node has asked for, and returns the answer to be sent. May block.
[[nodiscard]] Bytes perform_file_operation(ByteView request);

}  // namespace weft::libc
