// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launcher of parallel programs (mpirun, mpiexec, srun) offers to each of the tasks that it
// has started: their number, an exchange of bytes among all, and the end of them all.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace weft {

class LauncherLink {
 public:
  // By PMIx where this process was told of it, else by PMI-2 or PMI-1. Blocks until the launcher
  // has answered. Fails with a sentence. Its threads, if it has any, take the signals that the
  // calling thread takes.
  static Result<std::unique_ptr<LauncherLink>> connect();

  virtual ~LauncherLink() = default;

  // How it speaks, for users: "PMIx".
  [[nodiscard]] virtual const char* protocol() const = 0;
  [[nodiscard]] virtual unsigned rank() const = 0;
  [[nodiscard]] virtual unsigned size() const = 0;  // tasks; greater than rank()
  // Every task gives its bytes, and gets those of all, by rank. Blocks until all have come; called
  // equally often by all, and by one thread at a time.
  [[nodiscard]] virtual Result<std::vector<Bytes>> exchange(const Bytes& mine) = 0;
  // Has all tasks ended, this one too if it does not go by itself. May be called while another
  // thread is in exchange(). May block for as long as the launcher takes.
  virtual void abort(int status, const std::string& sentence) = 0;
  // This task is about to exit, which is no fault. Nothing is called after it.
  virtual void leave() = 0;
  // Shows POLLRDHUP once the launcher is gone; -1 if it cannot be seen so.
  [[nodiscard]] virtual int descriptor() const = 0;
};

// Whether the variable is how a launcher tells a task of itself. What the program starts must not
// see it.
[[nodiscard]] bool tells_of_launcher(const std::string& variable);

}  // namespace weft
