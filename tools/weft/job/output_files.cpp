// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/job/output_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace weft {

Result<std::unique_ptr<OutputFiles>> OutputFiles::create(const std::string& folder,
                                                         unsigned nodes) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Failure{fmt::format("--output {}: {}", folder, error.message())};
  std::unique_ptr<OutputFiles> all(new OutputFiles(folder));
  for (unsigned node = 0; node < nodes; ++node) {
    std::array<int, 2>& files = all->files_.emplace_back(std::array{-1, -1});
    for (const int stream : {0, 1}) {
      const std::string name = all->name_of(node, stream);
      const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
      if (file < 0) return Failure{fmt::format("--output: {}: {}", name, std::strerror(errno))};
      files[static_cast<std::size_t>(stream)] = file;
    }
  }
  return all;
}

OutputFiles::~OutputFiles() {
  for (const auto& files : files_) {
    for (const int each : files) {
      if (each >= 0) close(each);
    }
  }
}

std::string OutputFiles::name_of(unsigned node, int stream) const {
  return fmt::format("{}/node-{}.{}", folder_, node, stream == 0 ? "out" : "err");
}

std::string OutputFiles::append(unsigned node, int stream, std::string_view bytes) {
  int& file = files_[node][static_cast<std::size_t>(stream)];
  while (file >= 0 && !bytes.empty()) {
    const ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int reason = errno;
      close(file);
      file = -1;
      return fmt::format("{}: {}; what follows of it is lost there", name_of(node, stream),
                         std::strerror(reason));
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace weft
