// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The working directory, and the mask of new files.
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "libc/interposition/interpose.hpp"
#include "libc/ownership/owned_files.hpp"
#include "process/requests/refusal.hpp"
#include "process/requests/topics.hpp"

namespace weft::process {
namespace {

int do_chdir(const char* path) { return WEFT_REAL(chdir)(path); }

Answer path_of_descriptor(const Request& request) {
  const auto descriptor = static_cast<int>(request.a);
  if (WEFT_REAL(fcntl)(descriptor, F_GETFD) < 0) return {-1, EBADF};
  Bytes path(PATH_MAX + 1);
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t bytes =
      WEFT_REAL(readlink)(link.c_str(), reinterpret_cast<char*>(path.data()), PATH_MAX);
  if (bytes < 0) return {-1, errno};
  path.resize(static_cast<std::size_t>(bytes) + 1);
  return {0, 0, std::move(path)};
}

int path_everywhere(Node& node, Call call, const char* path) {
  if (path == nullptr) return errno = EFAULT, -1;
  return static_cast<int>(
      result_of(everywhere(node, {.call = call, .bytes = bytes_of_text(path)})));
}

}  // namespace

void perform_directory() {
  perform(Call::kChangeDirectory, [](const Request& r) { return answer_of(do_chdir(text_of(r))); });
  perform(Call::kPathOfDescriptor, path_of_descriptor);
  perform(Call::kFileMask,
          [](const Request& r) { return Answer{WEFT_REAL(umask)(static_cast<mode_t>(r.a))}; });
}

WEFT_ENTRY(int, chdir, const char* path) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return do_chdir(path);
  return path_everywhere(*node, Call::kChangeDirectory, path);
}

// The transport opens what it needs when it needs it, by paths.
WEFT_ENTRY(int, chroot, const char* path) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node != nullptr && is_process_of_node()) refuse(*node, "chroot");
  return WEFT_REAL(chroot)(path);
}

WEFT_ENTRY(int, fchdir, int descriptor) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(fchdir)(descriptor);
  const auto owner = libc::other_owner(descriptor);
  const NodeId whom = owner.value_or(node->self());
  const Answer path = ask_node(*node, whom, {.call = Call::kPathOfDescriptor, .a = descriptor});
  if (path.error != 0) return static_cast<int>(result_of(path));
  return path_everywhere(*node, Call::kChangeDirectory,
                         reinterpret_cast<const char*>(path.bytes.data()));
}

WEFT_ENTRY(mode_t, umask, mode_t mask) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(umask)(mask);
  return static_cast<mode_t>(everywhere(*node, {.call = Call::kFileMask, .a = mask}).result);
}

}  // namespace weft::process
