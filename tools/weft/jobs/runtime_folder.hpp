// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder of this host in which this user's jobs have their sockets:
// $WEFT_RUNTIME_DIR/weft, else $XDG_RUNTIME_DIR/weft, else /tmp/weft-UID. Nobody else may look into
// it, or it is not used.
//
// A launcher that is killed leaves its socket. The next launcher and `weft ps` remove those that
// nobody listens at any more. That is done under a lock of the folder, and so are new sockets made,
// which have no listener for a moment. The last to leave removes the folder.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace weft {

class RuntimeFolder {
 public:
  struct Socket;
  // A socket that listens, for this user alone, and the folder, which is made where it is missing.
  // The socket's name is the wanted one, or that with "-2", "-3" ... behind it, where another
  // listens at that: hosts and containers may share the folder, but not their numbers of processes.
  static Result<Socket> listen(const std::string& wanted);
  // Those that there are, wherever this user's jobs may have been started. Fails where one is there
  // and cannot be trusted.
  static Result<std::vector<RuntimeFolder>> existing();

  // The one at the path. Fails where it is not there, or cannot be trusted.
  static Result<RuntimeFolder> open(const std::string& path);

  ~RuntimeFolder();
  RuntimeFolder(RuntimeFolder&& other) noexcept;
  RuntimeFolder& operator=(RuntimeFolder&& other) noexcept;
  RuntimeFolder(const RuntimeFolder&) = delete;
  RuntimeFolder& operator=(const RuntimeFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  // Names of its sockets, sorted.
  [[nodiscard]] std::vector<std::string> names() const;

  // A connection to the socket; -1 if nobody listens at it. Does not block.
  [[nodiscard]] int connect(const std::string& name) const;
  // Removes the socket, and the folder if that was all.
  void remove(const std::string& name) const;
  // Removes the sockets at which nobody listens, and the folder if those were all.
  void sweep() const;

 private:
  RuntimeFolder(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}
  void remove_abandoned() const;
  // The name under which it is bound; empty, and errno, if it cannot be.
  [[nodiscard]] std::string bind(int descriptor, const std::string& wanted) const;

  std::string path_;
  int descriptor_;
};

struct RuntimeFolder::Socket {
  RuntimeFolder folder;
  std::string name;
  int descriptor;  // the caller's
};

}  // namespace weft
