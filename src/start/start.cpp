// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens when a program that weftcc made is started. Its C start-up code calls
// __libc_start_main, which is this library's. Three cases:
//
//   started plainly                       on into the C library, nothing is different
//   by a launcher of parallel programs    this process executes `weft task`, which starts the
//   that has started several (mpirun,     program again as a node (tools/weft/task/task.hpp)
//   mpiexec, srun)
//   to be a node (WEFT_NODES > 1), but    this process executes itself again, with address
//   the node library is not there         randomisation off and libweft-node.so preloaded
//   a node                                the node library's __libc_start_main came first and took
//                                         over; if it calls on to us, straight through
//
// `weft run` sets all of that up before it executes the program. The third path is for wrappers
// that drop LD_PRELOAD or the personality.
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
// Zero here; the node library's own definitions, found first, are not.
WEFT_EXPORT int __weft_spans_nodes = 0;
WEFT_EXPORT int __weft_threads_elsewhere = 0;
}

namespace {

using Main = int (*)(int, char**, char**);
using StartMain = int (*)(Main main, int argc, char** argv, void (*init)(void), void (*fini)(void),
                          void (*rtld_fini)(void), void* stack_end);

constexpr const char* kNodeLibrary = "libweft-node.so";
// From the folder of this library, built or installed, also where libraries are sorted by machine.
constexpr const char* kCommands[] = {"../bin/weft", "../../bin/weft"};
constexpr const char* kRestarted = "WEFT_RESTARTED";  // guards against restarting forever

[[noreturn]] void die(const char* what, const char* why) {
  fprintf(stderr, "weft: %s: %s\n", what, why);
  _exit(1);
}

// Whether the environment says that this process is to be one node of several.
bool is_to_be_a_node() {
  const char* nodes = getenv("WEFT_NODES");
  return nodes != nullptr && atoi(nodes) > 1;
}

// The first of them that is there.
int number_from_environment(const char* const* names) {
  for (; *names != nullptr; ++names) {
    const char* text = getenv(*names);
    if (text != nullptr) return atoi(text);
  }
  return -1;
}

// Whether a launcher has started this program several times, and lets the tasks speak to each
// other. A program that uses MPI does so itself; one whose user says WEFT_NODES=1 is left alone.
bool is_one_of_several_tasks() {
  if (getenv("WEFT_NODES") != nullptr) return false;
  static const char* const pmix_sizes[] = {"OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", nullptr};
  static const char* const pmi_sizes[] = {"PMI_SIZE", nullptr};
  const bool has_pmix = getenv("PMIX_NAMESPACE") != nullptr && getenv("PMIX_RANK") != nullptr;
  const bool has_pmi = getenv("PMI_FD") != nullptr && getenv("PMI_RANK") != nullptr;
  // Not every launcher that speaks PMIx says how many there are: `weft task` asks.
  const bool are_several = (has_pmix && number_from_environment(pmix_sizes) != 1) ||
                           (has_pmi && number_from_environment(pmi_sizes) > 1);
  return are_several && dlsym(RTLD_DEFAULT, "MPI_Init") == nullptr;
}

// Several tasks of Slurm that cannot speak to each other are as many runs of the program, which is
// hardly what was meant.
void warn_of_lonely_tasks() {
  static const char* const ranks[] = {"SLURM_PROCID", nullptr};
  static const char* const sizes[] = {"SLURM_STEP_NUM_TASKS", nullptr};
  if (getenv("WEFT_NODES") != nullptr || getenv("PMIX_RANK") != nullptr ||
      getenv("PMI_FD") != nullptr || dlsym(RTLD_DEFAULT, "MPI_Init") != nullptr) {
    return;
  }
  const int tasks = number_from_environment(sizes);
  if (tasks < 2 || number_from_environment(ranks) != 0) return;
  fprintf(stderr,
          "weft: srun has started %d tasks that know nothing of each other, so each runs the "
          "program alone; with srun --mpi=pmix or --mpi=pmi2 they are the nodes of one job "
          "(WEFT_NODES=1: each alone, and no warning)\n",
          tasks);
}

bool has_node_library() {
  if (__weft_spans_nodes != 0) return true;
  void* loaded = dlopen(kNodeLibrary, RTLD_LAZY | RTLD_NOLOAD);
  if (loaded == nullptr) return false;
  dlclose(loaded);
  return true;
}

// The path of a file that is named from this library's folder.
void find_beside(const char* name, char (&path)[PATH_MAX]) {
  Dl_info self;
  if (dladdr(reinterpret_cast<void*>(&find_beside), &self) == 0 ||
      realpath(self.dli_fname, path) == nullptr) {
    die("cannot find where libweft.so is", strerror(errno));
  }
  char* slash = strrchr(path, '/');
  const size_t room = PATH_MAX - static_cast<size_t>(slash + 1 - path);
  if (static_cast<size_t>(snprintf(slash + 1, room, "%s", name)) >= room) {
    die("the path is too long", path);
  }
}

// argv as `weft task PROGRAM ARGV0 ARGS...` has it.
char** arguments_of_task(char* program, int argc, char** argv) {
  static char command[] = "weft", subcommand[] = "task";
  auto** arguments = static_cast<char**>(malloc((static_cast<size_t>(argc) + 4) * sizeof(char*)));
  if (arguments == nullptr) die("cannot join the job", strerror(errno));
  arguments[0] = command;
  arguments[1] = subcommand;
  arguments[2] = program;
  memcpy(arguments + 3, argv, (static_cast<size_t>(argc) + 1) * sizeof(char*));
  return arguments;
}

[[noreturn]] void become_task(int argc, char** argv) {
  static char program[PATH_MAX], command[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length < 0) die("cannot find the program's file", strerror(errno));
  char** const arguments = arguments_of_task(program, argc, argv);
  for (const char* name : kCommands) {
    find_beside(name, command);
    if (access(command, X_OK) == 0) execve(command, arguments, environ);
  }
  die("a launcher has started this program as one of several tasks, and the command weft, which "
      "makes them one job, cannot be executed",
      command);
}

[[noreturn]] void restart_as_node(char** argv) {
  if (getenv(kRestarted) != nullptr) {
    die("this process is to be a node of a job (WEFT_NODES), but libweft-node.so cannot be "
        "preloaded",
        "is the program set-user-id, or does something remove LD_PRELOAD?");
  }
  static char library[PATH_MAX];
  static char preload[2 * PATH_MAX];
  find_beside(kNodeLibrary, library);
  if (access(library, R_OK) != 0) die(library, strerror(errno));
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
  } else if (__weft_spans_nodes == 0) {
    if (is_one_of_several_tasks()) become_task(argc, argv);
    warn_of_lonely_tasks();
  }
  void* next = dlsym(RTLD_NEXT, "__libc_start_main");
  if (next == nullptr) die("cannot find the C library's start", dlerror());
  return reinterpret_cast<StartMain>(next)(main, argc, argv, init, fini, rtld_fini, stack_end);
}
