// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/jobs/runtime_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

namespace weft {
namespace {

constexpr int kWaiting = 64;         // connections that are not taken yet
constexpr int kMostOfOneName = 100;  // hosts that share a folder and a number of a process
constexpr int kMostTries = 100;      // of a folder that others remove at that moment

// Empty where the user has named none.
std::string folder_of_user() {
  const char* const folder = std::getenv("WEFT_RUNTIME_DIR");
  return folder == nullptr || *folder == '\0' ? "" : std::string(folder) + "/weft";
}

std::string own_folder_in_tmp() { return fmt::format("/tmp/weft-{}", geteuid()); }

// Empty where the login has made none, or it is another user's, as after su.
std::string folder_of_login() {
  const char* const folder = std::getenv("XDG_RUNTIME_DIR");
  struct stat info = {};
  if (folder == nullptr || *folder != '/' || stat(folder, &info) != 0) return {};
  if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid()) return {};
  return std::string(folder) + "/weft";
}

// Where this user's jobs may be: those of a login are seen from outside of it, and the other way
// round, but a folder that the user has named stands alone. New sockets are made in the first.
std::vector<std::string> folders() {
  if (const std::string named = folder_of_user(); !named.empty()) return {named};
  if (const std::string of_login = folder_of_login(); !of_login.empty()) {
    return {of_login, own_folder_in_tmp()};
  }
  return {own_folder_in_tmp()};
}

// Held as long as this lives. Of a folder that is gone the lock is nobody's business.
class Lock {
 public:
  explicit Lock(int folder) : folder_(folder) {
    while (flock(folder_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~Lock() { flock(folder_, LOCK_UN); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int folder_;
};

// By way of the folder's descriptor: its path may be longer than an address can be.
sockaddr_un address_of(int folder, const std::string& name) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path = fmt::format("/proc/self/fd/{}/{}", folder, name);
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  return address;
}

int connect_to(int folder, const std::string& name) {
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const sockaddr_un address = address_of(folder, name);
  if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return descriptor;
  }
  const int reason = errno;
  ::close(descriptor);
  errno = reason;
  return -1;
}

bool is_abandoned(int folder, const std::string& name) {
  const int descriptor = connect_to(folder, name);
  if (descriptor >= 0) close(descriptor);
  return descriptor < 0 && errno == ECONNREFUSED;
}

}  // namespace

RuntimeFolder::RuntimeFolder(RuntimeFolder&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

RuntimeFolder& RuntimeFolder::operator=(RuntimeFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

RuntimeFolder::~RuntimeFolder() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<RuntimeFolder> RuntimeFolder::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return Failure{fmt::format("{}: {}", path, std::strerror(errno))};
  RuntimeFolder folder(path, descriptor);
  struct stat info = {};
  fstat(descriptor, &info);
  if (info.st_uid != geteuid()) {
    return Failure{fmt::format("{} belongs to another user; ask for its removal", path)};
  }
  if ((info.st_mode & 0077) != 0) {
    return Failure{fmt::format("{} is open to others (mode {:o}); `chmod 700 {}` closes it", path,
                               info.st_mode & 07777, path)};
  }
  return folder;
}

Result<RuntimeFolder::Socket> RuntimeFolder::listen(const std::string& wanted) {
  const std::string path = folders().front();
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  fchmod(descriptor, 0600);  // which the file takes over
  std::string complaint;
  for (int attempt = 0; attempt < kMostTries; ++attempt) {
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
      complaint = fmt::format("{}: {}", path, std::strerror(errno));
      break;
    }
    auto folder = open(path);
    if (!folder) {
      complaint = folder.error();
      if (access(path.c_str(), F_OK) == 0) break;
      continue;
    }
    const std::string name = folder.value().bind(descriptor, wanted);
    if (!name.empty()) return Socket{std::move(folder.value()), name, descriptor};
    complaint = fmt::format("a socket in {}: {}", path, std::strerror(errno));
    if (errno != ENOENT) break;
  }
  close(descriptor);
  return Failure{complaint};
}

std::string RuntimeFolder::bind(int descriptor, const std::string& wanted) const {
  const Lock lock(descriptor_);
  remove_abandoned();
  for (int number = 1; number <= kMostOfOneName; ++number) {
    const std::string name = number == 1 ? wanted : fmt::format("{}-{}", wanted, number);
    const sockaddr_un address = address_of(descriptor_, name);
    if (::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      return ::listen(descriptor, kWaiting) == 0 ? name : "";
    }
    if (errno != EADDRINUSE) break;
  }
  return {};
}

Result<std::vector<RuntimeFolder>> RuntimeFolder::existing() {
  std::vector<RuntimeFolder> all;
  for (const std::string& path : folders()) {
    if (access(path.c_str(), F_OK) != 0) continue;
    auto folder = open(path);
    if (!folder) return Failure{folder.error()};
    all.push_back(std::move(folder.value()));
  }
  return all;
}

std::vector<std::string> RuntimeFolder::names() const {
  std::vector<std::string> all;
  // A descriptor of its own: the place in the list belongs to what the descriptor stands for.
  const int list = openat(descriptor_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(fdopendir(list), closedir);
  if (!folder) return all;
  while (const dirent* entry = readdir(folder.get())) {
    // Some file systems do not say what it is.
    if (entry->d_type == DT_SOCK || entry->d_type == DT_UNKNOWN) all.emplace_back(entry->d_name);
  }
  std::ranges::sort(all);
  return all;
}

int RuntimeFolder::connect(const std::string& name) const { return connect_to(descriptor_, name); }

void RuntimeFolder::remove(const std::string& name) const {
  const Lock lock(descriptor_);
  unlinkat(descriptor_, name.c_str(), 0);
  rmdir(path_.c_str());  // unless something is in it
}

void RuntimeFolder::sweep() const {
  const Lock lock(descriptor_);
  remove_abandoned();
  rmdir(path_.c_str());
}

void RuntimeFolder::remove_abandoned() const {
  for (const std::string& name : names()) {
    if (is_abandoned(descriptor_, name)) unlinkat(descriptor_, name.c_str(), 0);
  }
}

}  // namespace weft
