// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Standard output and error that the program sends elsewhere (freopen, dup2): each node's go there.
// They are each node's own pipe to the launcher at first. A file is opened by each node, to append,
// so that what the nodes write in turn comes in turn; and the pipes can be had back.
//
//   dup2(file, 1)        the caller's own, and every other node opens the same file
//   dup2(saved, 1)       where saved is a copy of one of the pipes: each node takes its own again
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>

#include "libc/interposition/interpose.hpp"
#include "libc/interposition/io_bounce.hpp"
#include "libc/ownership/owned_files.hpp"
#include "libc/streams/forwarding.hpp"
#include "libc/streams/mapped_streams.hpp"
#include "process/descriptors/descriptors.hpp"
#include "process/descriptors/standard_streams.hpp"
#include "process/requests/refusal.hpp"
#include "process/requests/topics.hpp"
#include "runtime/output/output_order.hpp"
#include "stacks/stacks.hpp"

namespace weft::process {
namespace {

constexpr int kFirst = STDOUT_FILENO, kLast = STDERR_FILENO;
int originals[kLast + 1] = {-1, -1, -1};  // copies of what the node began with

bool is_same_file(int a, int b) {
  struct stat one, two;
  return WEFT_REAL(fstat)(a, &one) == 0 && WEFT_REAL(fstat)(b, &two) == 0 &&
         one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

[[noreturn]] void refuse_for_others() {
  refuse(*this_node(),
         "dup2 or freopen, to send standard output to a file, pipe or socket that this node cannot "
         "open by the same name");
}

// On a node other than the one that asks (c), which has done it.
Answer redirect(const Request& request) {
  const auto descriptor = static_cast<int>(request.a);
  if (this_node()->self() == NodeId(static_cast<NodeId::representation>(request.c))) return {};
  WEFT_REAL(fflush)(stream_of(descriptor));
  const int to = request.b >= 0
                     ? originals[request.b]
                     : WEFT_REAL(open)(text_of(request), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (to < 0) refuse_for_others();
  const Answer answer = answer_of(WEFT_REAL(dup2)(to, descriptor));
  libc::closed_descriptors &= ~(1U << descriptor);
  if (request.b < 0) WEFT_REAL(close)(to);
  look_at_output_pipes();
  return answer;
}

// A path by which other nodes can open what a descriptor of this one has; nothing if there is none.
std::string path_of(int descriptor, bool on_one_host) {
  if (on_one_host) {
    return "/proc/" + std::to_string(::syscall(SYS_getpid)) + "/fd/" + std::to_string(descriptor);
  }
  // Other hosts know neither this process nor its pipes: a file's name is all that they can share.
  if (!libc::is_regular_file(descriptor)) return {};
  std::error_code error;
  const auto file =
      std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), error);
  return file.string();
}

Node* redirecting_node(const void* caller, int descriptor) {
  if (!is_output(descriptor)) return nullptr;
  Node* const node = job_of_caller(caller);
  return node != nullptr && is_process_of_node() ? node : nullptr;
}

// A stream of another node: standard input, say, is node 0's.
FILE* reopen_elsewhere(NodeId owner, const char* path, const char* mode, FILE* stream) {
  return on_runtime_stack([=]() -> FILE* {
    std::string names(path == nullptr ? "" : path);
    names.push_back('\0');
    names += mode;
    const libc::FileAnswer answer =
        libc::ask(owner, libc::FileOperation::kReopen, libc::number_of(stream), 0, 0,
                  bytes_of(names.c_str(), names.size() + 1));
    return answer.result == 1 ? stream : nullptr;
  });
}

// True if another node's standard input was to be replaced, and has been.
bool replace_input(int from, int to) {
  const auto owner = to == STDIN_FILENO ? libc::owner_of_input() : std::nullopt;
  if (!owner || !is_process_of_node()) return false;
  if (from != to && libc::other_owner(from) != owner) {
    refuse(*this_node(),
           "dup2, on another node than 0, to read standard input from a file that "
           "was opened there");
  }
  return libc::ask_for_number(*owner, libc::FileOperation::kDuplicateTo, libc::number_of(from),
                              to) == to;
}

// In one process the number would be free; here it cannot be had.
void refuse_kept(const void* caller, int to) {
  if (!is_kept_from(caller, to)) return;
  refuse(*this_node(),
         "dup2, to a descriptor that Weft uses (numbers from 3 to 255 are the program's)");
}

FILE* reopen(Node* node, const char* path, const char* mode, FILE* stream) {
  if (const auto owner = libc::other_owner(stream)) {
    return reopen_elsewhere(*owner, path, mode, stream);
  }
  libc::settle_stream(stream);
  FILE* const opened = libc::call(WEFT_REAL(freopen), libc::text(path), libc::text(mode), stream);
  if (path != nullptr) libc::note_stream(opened, mode);
  if (opened == nullptr || node == nullptr || path == nullptr) return opened;
  redirect_others(*node, stream == stdout ? kFirst : kLast);
  return opened;
}

}  // namespace

bool is_output(int descriptor) { return descriptor == kFirst || descriptor == kLast; }

FILE* stream_of(int descriptor) {
  return descriptor == STDIN_FILENO ? stdin : descriptor == kFirst ? stdout : stderr;
}

int standard_descriptor_of(const FILE* stream) {
  if (stream == stdin) return STDIN_FILENO;
  return stream == stdout ? kFirst : stream == stderr ? kLast : -1;
}

void redirect_others(Node& node, int descriptor) {
  on_runtime_stack([&] {
    look_at_output_pipes();
    libc::closed_descriptors &= ~(1U << descriptor);
    std::int64_t original = -1;
    for (int each = kFirst; each <= kLast; ++each) {
      if (is_same_file(descriptor, originals[each])) original = each;
    }
    const int flags = WEFT_REAL(fcntl)(descriptor, F_GETFL);
    if (original < 0) WEFT_REAL(fcntl)(descriptor, F_SETFL, flags | O_APPEND);
    const std::string path = path_of(descriptor, node.is_on_one_host());
    if (original < 0 && path.empty()) {
      refuse(node,
             "dup2 or freopen, to send standard output of several hosts to a pipe or a socket");
    }
    const Answer answer = everywhere(node, {.call = Call::kRedirect,
                                            .a = descriptor,
                                            .b = original,
                                            .c = node.self().value(),
                                            .bytes = bytes_of_text(path.c_str())});
    if (answer.error != 0) refuse_for_others();
  });
}

void perform_output() {
  for (int each = kFirst; each <= kLast; ++each) {
    originals[each] = WEFT_REAL(fcntl)(each, F_DUPFD_CLOEXEC, 3);
  }
  perform(Call::kRedirect, redirect);
}

WEFT_ENTRY(int, dup2, int from, int to) {
  if (replace_input(from, to)) return to;
  if (is_kept_from(__builtin_return_address(0), from)) return -1;
  refuse_kept(__builtin_return_address(0), to);
  Node* const node = redirecting_node(__builtin_return_address(0), to);
  const int result = WEFT_REAL(dup2)(from, to);
  if (to == STDIN_FILENO && result >= 0) libc::closed_descriptors &= ~1U;
  if (node != nullptr && result >= 0 && from != to) redirect_others(*node, to);
  return result;
}
WEFT_ENTRY(int, dup3, int from, int to, int flags) {
  if (replace_input(from, to)) return to;
  if (is_kept_from(__builtin_return_address(0), from)) return -1;
  refuse_kept(__builtin_return_address(0), to);
  Node* const node = redirecting_node(__builtin_return_address(0), to);
  const int result = WEFT_REAL(dup3)(from, to, flags);
  if (to == STDIN_FILENO && result >= 0) libc::closed_descriptors &= ~1U;
  if (node != nullptr && result >= 0) redirect_others(*node, to);
  return result;
}
WEFT_ENTRY(FILE*, freopen, const char* path, const char* mode, FILE* stream) {
  return reopen(redirecting_node(__builtin_return_address(0), standard_descriptor_of(stream)), path,
                mode, stream);
}
WEFT_ENTRY(FILE*, freopen64, const char* path, const char* mode, FILE* stream) {
  return reopen(redirecting_node(__builtin_return_address(0), standard_descriptor_of(stream)), path,
                mode, stream);
}

}  // namespace weft::process
