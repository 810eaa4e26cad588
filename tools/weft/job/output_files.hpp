// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files in which the nodes' output is kept as well (`weft run --output`): of each node one for its
// standard output and one for its standard error, with every byte that it printed, in its order.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace weft {

class OutputFiles {
 public:
  // Makes FOLDER/node-N.out and FOLDER/node-N.err of each node anew, and the folder where it is
  // missing.
  static Result<std::unique_ptr<OutputFiles>> create(const std::string& folder, unsigned nodes);
  ~OutputFiles();
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;

  // Stream 0 is standard output, 1 standard error. Blocks as writing a file does. A sentence if the
  // file cannot be written; it is then given up, and nothing more is said of it.
  [[nodiscard]] std::string append(unsigned node, int stream, std::string_view bytes);

 private:
  explicit OutputFiles(std::string folder) : folder_(std::move(folder)) {}
  [[nodiscard]] std::string name_of(unsigned node, int stream) const;

  std::string folder_;
  std::vector<std::array<int, 2>> files_;  // by node and stream; -1: given up
};

}  // namespace weft
