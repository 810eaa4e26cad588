// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ucm_set_global_opts: UCX patches the C library's mmap(), munmap() and brk() when it is loaded,
// before any call could tell it not to. Weft maps and unmaps huge regions itself and needs no cache
// of registered memory, so the hooks are turned off on the way in.
//
// shm_open, shm_unlink: UCX's shared memory transport makes a file in /dev/shm, fills it and only
// then removes its name; a process that is killed in between leaves the file behind. Peers never
// use the name: they open /proc/<pid>/fd/<descriptor>. So UCX gets a memfd instead, which has no
// name (and does not count against a container's small /dev/shm). It is the program's to close as
// little as all that UCX opens while the program runs: a peer may open it later. All other callers
// get the C library's own. Rejected: UCX_POSIX_DIR in a directory of the job, which somebody must
// outlive the job to remove; System V segments, which outlive a killed process.
//
// timerfd_create: UCX makes its timer with the first peer to which it sends, while the program
// runs, and would get a number that is the program's. It gets a high one.
#include "transport/ucx/interposed.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <ucm/api/ucm.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

namespace {

bool interposed = false;
void (*keep)(int descriptor) = nullptr;

constexpr int kFirstKept = 256;  // numbers below are the program's

bool begins_with(const char* name, std::string_view begin) {
  std::string_view text(name);
  if (text.starts_with('/')) text.remove_prefix(1);
  return text.starts_with(begin);
}

// libomp notes by it that it is there, and looks at its end for what it has noted.
bool is_of_libomp(const char* name) { return begins_with(name, "__KMP_REGISTERED_LIB_"); }

bool needs_no_name(const char* name) {
  return begins_with(name, "ucx_shm_posix_") || is_of_libomp(name);
}

template <typename Function>
Function* next_definition(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// Without the dynamic linker's lock, which dladdr takes: UCX is called under the node's
// (runtime/services/workers.hpp).
bool is_in_ucx(void* address) {
  dl_find_object found = {};
  return _dl_find_object(address, &found) == 0 &&
         std::string_view(found.dlfo_link_map->l_name).find("/libucp.so") != std::string_view::npos;
}

int moved_up(int descriptor) {
  if (descriptor < 0 || keep == nullptr) return descriptor;
  const long high = syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, kFirstKept);
  if (high < 0) return descriptor;
  syscall(SYS_close, descriptor);
  keep(static_cast<int>(high));
  return static_cast<int>(high);
}

}  // namespace

namespace weft {

bool ucx_is_interposed() { return interposed; }

void keep_descriptors_of_ucx(void (*function)(int descriptor)) { keep = function; }

}  // namespace weft

extern "C" {

__attribute__((visibility("default"))) void ucm_set_global_opts(const ucm_global_config_t* chosen) {
  interposed = true;
  ucm_global_config_t config = *chosen;
  if (std::getenv("UCX_MEM_MMAP_HOOK_MODE") == nullptr) {
    config.mmap_hook_mode = UCM_MMAP_HOOK_NONE;
    config.enable_malloc_hooks = 0;
    config.enable_malloc_reloc = 0;
  }
  next_definition<void(const ucm_global_config_t*)>("ucm_set_global_opts")(&config);
}

__attribute__((visibility("default"))) int shm_open(const char* name, int flags, mode_t mode) {
  if (needs_no_name(name) && (flags & O_CREAT) != 0) {
    return moved_up(static_cast<int>(syscall(SYS_memfd_create, name, MFD_CLOEXEC)));
  }
  // One of that name is of a process of the same number that was killed, perhaps before it gave it
  // a size. To read that is a SIGBUS.
  if (is_of_libomp(name)) return errno = ENOENT, -1;
  static const auto next = next_definition<int(const char*, int, mode_t)>("shm_open");
  return next(name, flags, mode);
}

__attribute__((visibility("default"))) int timerfd_create(clockid_t clock, int flags) {
  const int made = static_cast<int>(syscall(SYS_timerfd_create, clock, flags));
  return is_in_ucx(__builtin_return_address(0)) ? moved_up(made) : made;
}

__attribute__((visibility("default"))) int shm_unlink(const char* name) {
  if (needs_no_name(name)) return 0;
  static const auto next = next_definition<int(const char*)>("shm_unlink");
  return next(name);
}

}  // extern "C"
