// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/text/command_output.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace weft {

std::string output_of(const std::string& command,
                      const std::map<std::string, std::string>& variables) {
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  const std::unique_ptr<FILE, int (*)(FILE*)> output(popen(command.c_str(), "re"), pclose);
  for (const auto& [name, value] : variables) unsetenv(name.c_str());
  std::string printed;
  std::array<char, 4096> buffer;
  std::size_t count = 0;
  while (output && (count = fread(buffer.data(), 1, buffer.size(), output.get())) > 0) {
    printed.append(buffer.data(), count);
  }
  return printed;
}

}  // namespace weft
