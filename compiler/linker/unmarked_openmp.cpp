// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/linker/unmarked_openmp.hpp"

#include <algorithm>
#include <unordered_map>

#include "compiler/linker/object_file.hpp"

namespace weft::linker {
namespace {

bool is_unmarked_openmp(const ObjectFile& object) {
  return !object.marked && !object.openmp_symbol.empty() &&
         object.kind != ObjectFile::Kind::kShared && object.kind != ObjectFile::Kind::kNone;
}

std::string complain(const Input& input, const ObjectFile& object) {
  return input.name + " uses OpenMP (" + object.openmp_symbol +
         ") and was not compiled by weftcc, so its atomic operations would lose updates when the "
         "program runs on several nodes. Compile it with weftcc, weftc++ or weftfc. If it has no "
         "atomic operations, -Wl,--defsym=weft_allow_openmp=1 links it as it is";
}

// What is taken from archives, as far as symbols tell.
class Taken {
 public:
  explicit Taken(const LinkCommand& command) {
    for (const InputFile& file : command.files) {
      for (Input& input : inputs_of(file)) add(std::move(input));
    }
    for (const std::string_view name : command.needed) need(name);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!inputs_[i].is_optional) take(i);
    }
    while (!open_.empty()) {
      const std::size_t next = open_.back();
      open_.pop_back();
      for (const std::string_view name : objects_[next].needs) need(name);
    }
  }

  // The first bad one.
  [[nodiscard]] std::string complaint() const {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const bool may_be_taken = is_taken_[i] || symbols_are_unknown_;
      if (may_be_taken && is_unmarked_openmp(objects_[i])) return complain(inputs_[i], objects_[i]);
    }
    return {};
  }

 private:
  void add(Input input) {
    ObjectFile object = read_object(input.contents);
    // Nobody knows what bitcode needs.
    symbols_are_unknown_ |= object.kind == ObjectFile::Kind::kBitcode;
    const bool comes_first = !input.is_optional && object.kind == ObjectFile::Kind::kRelocatable;
    for (const std::string_view name : object.defines) {
      if (comes_first) {
        definers_[name] = inputs_.size();
      } else {
        definers_.emplace(name, inputs_.size());
      }
    }
    inputs_.push_back(std::move(input));
    objects_.push_back(std::move(object));
    is_taken_.push_back(false);
  }
  void take(std::size_t index) {
    if (is_taken_[index]) return;
    is_taken_[index] = true;
    open_.push_back(index);
  }
  void need(std::string_view name) {
    const auto definer = definers_.find(name);
    if (definer != definers_.end()) take(definer->second);
  }

  std::vector<Input> inputs_;
  std::vector<ObjectFile> objects_;
  std::vector<bool> is_taken_;
  std::vector<std::size_t> open_;  // taken, and what they need is not yet
  // The first archive's or shared library's, unless an object defines it that is taken anyway.
  std::unordered_map<std::string_view, std::size_t> definers_;
  bool symbols_are_unknown_ = false;
};

// Nearly always nothing is suspect, and nothing more has to be read.
bool is_suspect(const InputFile& file) {
  if (!may_use_openmp(file.contents) && !file.contents.starts_with("!<thin>")) return false;
  const std::vector<Input> inputs = inputs_of(file);
  return std::any_of(inputs.begin(), inputs.end(), [](const Input& input) {
    return is_unmarked_openmp(read_object(input.contents));
  });
}

}  // namespace

std::string complaint_about(const LinkCommand& command) {
  if (!std::any_of(command.files.begin(), command.files.end(), is_suspect)) return {};
  return Taken(command).complaint();
}

}  // namespace weft::linker
