// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only what decides which files are read is looked at. An option's value that is mistaken for a
// file does no harm: it names none, or one that is no object.
#include "compiler/linker/input_files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

namespace weft::linker {
namespace {

std::string_view map_file(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  struct stat status = {};
  std::string_view contents;
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    const auto bytes = static_cast<std::size_t>(status.st_size);
    void* const memory = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (memory != MAP_FAILED) contents = {static_cast<const char*>(memory), bytes};
  }
  close(descriptor);
  return contents;
}

// What follows an option, in the same argument or in the next.
class Arguments {
 public:
  explicit Arguments(const std::vector<std::string>& arguments) : arguments_(arguments) {}
  [[nodiscard]] bool next() { return ++at_ < arguments_.size(); }
  [[nodiscard]] const std::string& current() const { return arguments_[at_]; }
  [[nodiscard]] bool is(std::string_view word) const { return current() == word; }

  // Of -lx, -l x: "x".
  std::optional<std::string_view> short_value(std::string_view option) {
    const std::string_view word = current();
    if (!word.starts_with(option)) return {};
    if (word.size() > option.size()) return word.substr(option.size());
    return next() ? current() : std::string_view();
  }
  // Of --undefined=x, --undefined x, -undefined=x: "x".
  std::optional<std::string_view> long_value(std::string_view option) {
    std::string_view word = current();
    if (word.starts_with("--")) word.remove_prefix(1);
    if (!word.starts_with(option)) return {};
    if (word.size() > option.size()) {
      return word[option.size()] == '=' ? std::optional(word.substr(option.size() + 1))
                                        : std::nullopt;
    }
    return next() ? current() : std::string_view();
  }

 private:
  const std::vector<std::string>& arguments_;
  std::size_t at_ = static_cast<std::size_t>(-1);
};

class Reader {
 public:
  LinkCommand read(const std::vector<std::string>& words) {
    find_folders(words);
    for (Arguments arguments(words); arguments.next();) read_one(arguments);
    return std::move(command_);
  }

 private:
  // The linker looks into all of them, also those that are named after the library.
  void find_folders(const std::vector<std::string>& words) {
    for (Arguments arguments(words); arguments.next();) {
      if (const auto folder = arguments.short_value("-L")) folders_.emplace_back(*folder);
      if (const auto folder = arguments.long_value("-library-path")) folders_.emplace_back(*folder);
    }
  }

  void read_one(Arguments& arguments) {
    if (read_state(arguments.current()) || arguments.short_value("-o") ||
        arguments.short_value("-L")) {
      return;
    }
    if (const auto name = arguments.long_value("-undefined"))
      return command_.needed.push_back(*name);
    if (const auto name = arguments.long_value("-library")) return add_library(*name);
    if (const auto name = arguments.short_value("-l")) return add_library(*name);
    if (const auto name = arguments.short_value("-u")) return command_.needed.push_back(*name);
    if (!arguments.current().starts_with('-')) add(arguments.current());
  }

  bool read_state(std::string_view word) {
    if (word.starts_with("--")) word.remove_prefix(1);
    if (word == "-whole-archive" || word == "-no-whole-archive") {
      state_.is_whole = word == "-whole-archive";
    } else if (word == "-Bstatic" || word == "-static" || word == "-dn" || word == "-non_shared") {
      state_.is_static = true;
    } else if (word == "-Bdynamic" || word == "-dy" || word == "-call_shared") {
      state_.is_static = false;
    } else if (word == "-push-state") {
      saved_.push_back(state_);
    } else if (word == "-pop-state" && !saved_.empty()) {
      state_ = saved_.back();
      saved_.pop_back();
    } else {
      return false;
    }
    return true;
  }

  bool add(const std::string& path) {
    const std::string_view contents = map_file(path);
    if (contents.empty()) return false;
    command_.files.push_back({path, contents, state_.is_whole});
    return true;
  }

  void add_library(std::string_view name) {
    const std::string library(name);
    for (const std::string& folder : folders_) {
      if (name.starts_with(':')) {
        if (add(folder + "/" + library.substr(1))) return;
        continue;
      }
      if (!state_.is_static && add(folder + "/lib" + library + ".so")) return;
      if (add(folder + "/lib" + library + ".a")) return;
    }
  }

  struct State {
    bool is_whole = false, is_static = false;
  };

  LinkCommand command_;
  std::vector<std::string> folders_;
  std::vector<State> saved_;
  State state_;
};

}  // namespace

LinkCommand read_command(const std::vector<std::string>& arguments) {
  return Reader().read(arguments);
}

// --- archives ---

namespace {

constexpr std::string_view kArchive = "!<arch>\n", kThinArchive = "!<thin>\n";

// The text before each member (ar(5)); numbers are decimal, with spaces behind them.
struct MemberHeader {
  static constexpr std::size_t kBytes = 60;
  std::string_view name;
  std::size_t bytes;
};

std::size_t number_of(std::string_view text) {
  std::size_t number = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') break;
    number = number * 10 + static_cast<std::size_t>(digit - '0');
  }
  return number;
}

MemberHeader header_of(std::string_view text) {
  const std::string_view name = text.substr(0, 16);
  return {name.substr(0, name.find_last_not_of(' ') + 1), number_of(text.substr(48, 10))};
}

// "/12" stands for what is at 12 in the table of long names, up to a '/' and a line's end.
std::string name_of(const MemberHeader& header, std::string_view long_names) {
  std::string_view name = header.name;
  if (name.size() > 1 && name[0] == '/') {
    const std::size_t at = number_of(name.substr(1));
    name = at < long_names.size() ? long_names.substr(at) : std::string_view();
    name = name.substr(0, name.find('\n'));
  }
  if (name.ends_with('/')) name.remove_suffix(1);
  return std::string(name);
}

std::string beside(const std::string& archive, const std::string& member) {
  const std::size_t slash = archive.rfind('/');
  if (member.starts_with('/') || slash == std::string::npos) return member;
  return archive.substr(0, slash + 1) + member;
}

std::vector<Input> members_of(const InputFile& file, bool is_thin) {
  std::vector<Input> members;
  std::string_view rest = file.contents.substr(kArchive.size());
  std::string_view long_names;
  while (rest.size() >= MemberHeader::kBytes) {
    const MemberHeader header = header_of(rest);
    rest.remove_prefix(MemberHeader::kBytes);
    const bool is_index = header.name == "/" || header.name == "/SYM64/";
    const bool is_names = header.name == "//";
    const bool is_inside = !is_thin || is_index || is_names;
    const std::string_view bytes = is_inside ? rest.substr(0, header.bytes) : std::string_view();
    if (is_inside) rest.remove_prefix(std::min(rest.size(), header.bytes + header.bytes % 2));
    if (is_names) long_names = bytes;
    if (is_index || is_names) continue;
    const std::string name = name_of(header, long_names);
    members.push_back({file.path + "(" + name + ")",
                       is_thin ? map_file(beside(file.path, name)) : bytes, !file.is_whole});
  }
  return members;
}

}  // namespace

std::vector<Input> inputs_of(const InputFile& file) {
  const bool is_thin = file.contents.starts_with(kThinArchive);
  if (is_thin || file.contents.starts_with(kArchive)) return members_of(file, is_thin);
  return {{file.path, file.contents, false}};
}

}  // namespace weft::linker
