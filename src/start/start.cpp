// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens when a program that weftcc made is started. Its C start-up code calls
// __libc_start_main, which is this library's. Three cases:
//
//   started plainly                       on into the C library, nothing is different
//   to be a node (WEFT_NODES > 1), but    this process executes itself again, with address
//   the node library is not there         randomisation off and libweft-node.so preloaded
//   a node                                the node library's __libc_start_main came first and took
//                                         over; if it calls on to us, straight through
//
// `weft run` sets all of that up before it executes the program. This path is for launchers that
// only set the environment, and for wrappers that drop LD_PRELOAD or the personality.
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "base/compiler_abi.h"
#include "start/visibility.hpp"

extern "C" {
// Zero here; the node library's own definition, found first, is not.
WEFT_EXPORT int __weft_spans_nodes = 0;
}

namespace {

using Main = int (*)(int, char**, char**);
using StartMain = int (*)(Main main, int argc, char** argv, void (*init)(void), void (*fini)(void),
                          void (*rtld_fini)(void), void* stack_end);

constexpr const char* kNodeLibrary = "libweft-node.so";
constexpr const char* kRestarted = "WEFT_RESTARTED";  // guards against restarting forever

[[noreturn]] void die(const char* what, const char* why) {
  fprintf(stderr, "weft: %s: %s\n", what, why);
  _exit(1);
}

// Whether the environment says that this process is to be one node of several.
bool is_to_be_a_node() {
  const char* nodes = getenv("WEFT_NODES");
  if (nodes != nullptr) return atoi(nodes) > 1;
  // A launcher that speaks PMIx (srun, mpirun, prterun) would be recognised here, by PMIX_RANK and
  // the size of its job, which has to be asked of its server.
  return false;
}

bool has_node_library() {
  if (__weft_spans_nodes != 0) return true;
  void* loaded = dlopen(kNodeLibrary, RTLD_LAZY | RTLD_NOLOAD);
  if (loaded == nullptr) return false;
  dlclose(loaded);
  return true;
}

// The node library lies beside this one.
void find_node_library(char (&path)[PATH_MAX]) {
  Dl_info self;
  if (dladdr(reinterpret_cast<void*>(&find_node_library), &self) == 0 ||
      realpath(self.dli_fname, path) == nullptr) {
    die("cannot find where libweft.so is", strerror(errno));
  }
  char* slash = strrchr(path, '/');
  const size_t room = PATH_MAX - static_cast<size_t>(slash + 1 - path);
  if (static_cast<size_t>(snprintf(slash + 1, room, "%s", kNodeLibrary)) >= room) {
    die("the path of libweft-node.so is too long", path);
  }
  if (access(path, R_OK) != 0) die(path, strerror(errno));
}

[[noreturn]] void restart_as_node(char** argv) {
  if (getenv(kRestarted) != nullptr) {
    die("this process is to be a node of a job (WEFT_NODES), but libweft-node.so cannot be "
        "preloaded",
        "is the program set-user-id, or does something remove LD_PRELOAD?");
  }
  static char library[PATH_MAX];
  static char preload[2 * PATH_MAX];
  find_node_library(library);
  const char* others = getenv("LD_PRELOAD");
  const bool has_others = others != nullptr && others[0] != '\0';
  const int length = snprintf(preload, sizeof preload, "%s%s%s", library, has_others ? ":" : "",
                              has_others ? others : "");
  if (length < 0 || static_cast<size_t>(length) >= sizeof preload) {
    die("cannot preload libweft-node.so", "LD_PRELOAD is too long");
  }
  setenv("LD_PRELOAD", preload, 1);
  setenv("LD_BIND_NOW", "weft",
         0);  // removed by the node, see runtime/bootstrap/bootstrap_wire.hpp
  setenv(kRestarted, "1", 1);
  const int current = personality(0xffffffff);
  if (personality(static_cast<unsigned long>(current) | ADDR_NO_RANDOMIZE) == -1) {
    die("cannot turn address randomisation off", strerror(errno));
  }
  execve("/proc/self/exe", argv, environ);
  die("cannot execute the program again", strerror(errno));
}

}  // namespace

extern "C" WEFT_EXPORT int __libc_start_main(Main main, int argc, char** argv, void (*init)(void),
                                             void (*fini)(void), void (*rtld_fini)(void),
                                             void* stack_end) {
  if (is_to_be_a_node()) {
    if (!has_node_library()) restart_as_node(argv);
  }
  void* next = dlsym(RTLD_NEXT, "__libc_start_main");
  if (next == nullptr) die("cannot find the C library's start", dlerror());
  return reinterpret_cast<StartMain>(next)(main, argc, argv, init, fini, rtld_fini, stack_end);
}
