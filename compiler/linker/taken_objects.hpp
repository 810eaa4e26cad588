// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which objects a link takes, as far as symbols tell: all that are named, and an archive's members
// if somebody needs a symbol that they are the first to define. Where there is bitcode, whose
// symbols are not read, any member may be taken.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/linker/input_files.hpp"
#include "compiler/linker/object_file.hpp"

namespace weft::linker {

class TakenObjects {
 public:
  explicit TakenObjects(const LinkCommand& command);

  // The first object that the link takes, or may take, of which the predicate is true; null if
  // there is none. It lives as long as this.
  struct Found {
    const Input* input = nullptr;
    const ObjectFile* object = nullptr;
  };
  template <typename Predicate>
  [[nodiscard]] Found find(Predicate is_wanted) const {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const bool may_be_taken = is_taken_[i] || symbols_are_unknown_;
      if (may_be_taken && is_wanted(objects_[i])) return {&inputs_[i], &objects_[i]};
    }
    return {};
  }
  // The object that defines the symbol; null if none here does.
  [[nodiscard]] const ObjectFile* definer_of(std::string_view symbol) const;
  // There is bitcode among them.
  [[nodiscard]] bool symbols_are_unknown() const { return symbols_are_unknown_; }

 private:
  void add(Input input);
  void take(std::size_t index);
  void need(std::string_view name);

  std::vector<Input> inputs_;
  std::vector<ObjectFile> objects_;
  std::vector<bool> is_taken_;
  std::vector<std::size_t> open_;  // taken, and what they need is not yet
  // The first archive's or shared library's, unless an object defines it that is taken anyway.
  std::unordered_map<std::string_view, std::size_t> definers_;
  bool symbols_are_unknown_ = false;
};

}  // namespace weft::linker
