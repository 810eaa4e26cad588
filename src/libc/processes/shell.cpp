// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "libc/processes/shell.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>

#include "base/signal_safe_mutex.hpp"
#include "libc/interposition/interpose.hpp"
#include "libc/interposition/io_bounce.hpp"
#include "libc/ownership/owned_files.hpp"

namespace weft::libc {
namespace {

// The children that streams lead to.
struct Children {
  SignalSafeMutex lock;
  std::map<FILE*, pid_t> of;
};
Children& children() {
  static auto* const all = new Children;  // never destroyed: streams are closed at the end, too
  return *all;
}

// An errno, or 0.
int start_shell(pid_t& child, const char* command, const posix_spawn_file_actions_t* files,
                const posix_spawnattr_t* attributes) {
  const char* const argv[] = {"sh", "-c", command, nullptr};
  return call(WEFT_REAL(posix_spawn), &child, text("/bin/sh"), files, attributes,
              texts(const_cast<char* const*>(argv)), texts(environ));
}

int wait_for(pid_t child) {
  int status = 0;
  pid_t ended;
  do ended = WEFT_REAL(waitpid)(child, &status, 0);
  while (ended == -1 && errno == EINTR);
  return ended == child ? status : -1;
}

// While a shell runs that is waited for, SIGINT and SIGQUIT are for it alone, and SIGCHLD of it is
// nobody's. Several may run at once.
class SignalsForShell {
 public:
  SignalsForShell() {
    const std::lock_guard guard(lock);
    if (users++ == 0) {
      struct sigaction ignore = {};
      ignore.sa_handler = SIG_IGN;
      WEFT_REAL(sigaction)(SIGINT, &ignore, &interrupt);
      WEFT_REAL(sigaction)(SIGQUIT, &ignore, &quit);
    }
    sigemptyset(&to_default_);
    if (interrupt.sa_handler != SIG_IGN) sigaddset(&to_default_, SIGINT);
    if (quit.sa_handler != SIG_IGN) sigaddset(&to_default_, SIGQUIT);
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    WEFT_REAL(pthread_sigmask)(SIG_BLOCK, &ended, &mask_);
  }
  ~SignalsForShell() {
    const std::lock_guard guard(lock);
    if (--users == 0) {
      WEFT_REAL(sigaction)(SIGINT, &interrupt, nullptr);
      WEFT_REAL(sigaction)(SIGQUIT, &quit, nullptr);
    }
    WEFT_REAL(pthread_sigmask)(SIG_SETMASK, &mask_, nullptr);
  }
  SignalsForShell(const SignalsForShell&) = delete;
  SignalsForShell& operator=(const SignalsForShell&) = delete;

  // The shell itself has them as they were.
  void describe(posix_spawnattr_t& attributes) const {
    posix_spawnattr_setsigmask(&attributes, &mask_);
    posix_spawnattr_setsigdefault(&attributes, &to_default_);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }

 private:
  static constinit inline SignalSafeMutex lock;
  static constinit inline int users = 0;
  static constinit inline struct sigaction interrupt = {}, quit = {};
  sigset_t mask_ = {}, to_default_ = {};
};

struct Mode {
  bool good, reads, closes_on_exec;
};
Mode read_mode(const char* mode) {
  Mode read = {true, false, false};
  bool writes = false;
  for (const char* each = mode; *each != '\0'; ++each) {
    (*each == 'r'   ? read.reads
     : *each == 'w' ? writes
     : *each == 'e' ? read.closes_on_exec
                    : read.good) = *each == 'r' || *each == 'w' || *each == 'e';
  }
  read.good = read.good && read.reads != writes;
  return read;
}

// Starts the shell with one end of the pipe as its standard input or output. An errno, or 0.
int start_with_pipe(pid_t& child, const char* command, int end_of_child, bool reads) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, end_of_child, reads ? STDOUT_FILENO : STDIN_FILENO);
  for (const auto& [stream, pid] : children().of) {  // POSIX: those of popen are not the child's
    posix_spawn_file_actions_addclose(&files, fileno_unlocked(stream));
  }
  const int error = start_shell(child, command, &files, nullptr);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

FILE* stream_of_pipe(int end, const Mode& mode) {
  end = place_descriptor(end);
  const OpeningStream opening;
  FILE* const stream = WEFT_REAL(fdopen)(end, mode.reads ? "r" : "w");
  if (stream == nullptr) WEFT_REAL(close)(end);
  return stream;
}

}  // namespace

int run_shell(const char* command) {
  if (command == nullptr) return WEFT_REAL(access)("/bin/sh", X_OK) == 0;
  const SignalsForShell signals;
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  signals.describe(attributes);
  pid_t child = 0;
  const int error = start_shell(child, command, nullptr, &attributes);
  posix_spawnattr_destroy(&attributes);
  if (error == 0) return wait_for(child);
  errno = error;
  return 127 << 8;  // as if the shell had not been found
}

FILE* open_shell(const char* command, const char* how) {
  const Mode mode = read_mode(how);
  if (!mode.good) return errno = EINVAL, nullptr;
  int ends[2];
  if (WEFT_REAL(pipe2)(ends, O_CLOEXEC) != 0) return nullptr;
  const int of_child = ends[mode.reads ? 1 : 0];
  FILE* const stream = stream_of_pipe(ends[mode.reads ? 0 : 1], mode);
  const std::lock_guard guard(children().lock);
  pid_t child = 0;
  int error = errno;
  if (stream != nullptr) error = start_with_pipe(child, command, of_child, mode.reads);
  WEFT_REAL(close)(of_child);
  if (error != 0 && stream != nullptr) WEFT_REAL(fclose)(stream);
  if (stream == nullptr || error != 0) return errno = error, nullptr;
  // Not before: the child must not have this end of its own pipe.
  if (!mode.closes_on_exec) WEFT_REAL(fcntl)(fileno_unlocked(stream), F_SETFD, 0);
  children().of[stream] = child;
  return stream;
}

int close_shell(FILE* stream) {
  pid_t child = 0;
  {
    const std::lock_guard guard(children().lock);
    const auto found = children().of.find(stream);
    if (found == children().of.end()) return errno = ECHILD, -1;
    child = found->second;
    children().of.erase(found);
  }
  WEFT_REAL(fclose)(stream);
  return wait_for(child);
}

}  // namespace weft::libc
