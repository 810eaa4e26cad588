// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/arguments.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string_view>

namespace weft::driver {
namespace {

template <std::size_t N>
bool is_one_of(std::string_view argument, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), argument) != names.end();
}

// Options whose value is the next argument, which must not be mistaken for an option.
bool takes_next(std::string_view argument) {
  static constexpr std::array<std::string_view, 37> kNames = {"-o",          "-x",
                                                              "-D",          "-U",
                                                              "-I",          "-L",
                                                              "-l",          "-u",
                                                              "-z",          "-T",
                                                              "-MF",         "-MT",
                                                              "-MQ",         "-MJ",
                                                              "-include",    "-imacros",
                                                              "-isystem",    "-idirafter",
                                                              "-iquote",     "-iprefix",
                                                              "-isysroot",   "-Xlinker",
                                                              "-Xclang",     "-Xflang",
                                                              "-Xassembler", "-Xpreprocessor",
                                                              "-mllvm",      "-target",
                                                              "-arch",       "-framework",
                                                              "-aux-info",   "-dumpbase",
                                                              "-dumpdir",    "-dumpbase-ext",
                                                              "--param",     "-J",
                                                              "-module-dir"};
  return is_one_of(argument, kNames);
}

bool stops_early(std::string_view argument) {
  static constexpr std::array<std::string_view, 16> kNames = {
      "-c",        "-S",        "-E",           "-M",           "-MM",          "-fsyntax-only",
      "--analyze", "--compile", "--assemble",   "--preprocess", "--precompile", "-emit-ast",
      "--version", "--help",    "-dumpversion", "-dumpmachine"};
  return is_one_of(argument, kNames) || argument.starts_with("-print-") ||
         argument.starts_with("--print-");
}

// A Weft executable lies at a fixed address, but is made of position-independent code. Those who
// ask for another combination get this one, quietly: it runs the same.
bool contradicts(std::string_view argument) {
  static constexpr std::array<std::string_view, 9> kNames = {"-pie",
                                                             "-fno-pie",
                                                             "-fno-PIE",
                                                             "-fno-pic",
                                                             "-fno-PIC",
                                                             "--pie",
                                                             "-Wl,-pie",
                                                             "-Wl,--pic-executable",
                                                             "-fdirect-access-external-data"};
  return is_one_of(argument, kNames);
}

bool is_unsupported(std::string_view argument) {
  static constexpr std::array<std::string_view, 6> kNames = {
      "-static", "--static", "-static-pie", "-static-openmp", "-Wl,-static", "-Wl,-Bstatic,-lc"};
  return is_one_of(argument, kNames);
}

// A header by itself is precompiled, not linked, although nothing on the command line says so.
bool is_header(std::string_view argument) {
  static constexpr std::array<std::string_view, 7> kEndings = {".h",   ".hh",  ".H", ".hpp",
                                                               ".hxx", ".h++", ".hp"};
  return !argument.starts_with('-') &&
         std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return argument.ends_with(ending); });
}

bool is_header_language(std::string_view language) {
  return language.ends_with("-header") || language.ends_with("-header-unit");
}

// An option of Weft's own, for which the compiler has no place.
bool take_own(std::string_view argument, CommandLine& line) {
  if (argument == "-fweft-overwrites") {
    line.overwrites = true;
  } else if (argument == "-fno-weft-overwrites") {
    line.overwrites = false;
  } else if (argument == "-fweft-prefetches") {
    line.prefetches = Prefetches::kOutermost;
  } else if (argument == "-fweft-prefetches=innermost") {
    line.prefetches = Prefetches::kInnermost;
  } else if (argument == "-fno-weft-prefetches") {
    line.prefetches = Prefetches::kNone;
  } else if (argument == "-fweft-subscripts") {
    line.subscripts = true;
  } else if (argument == "-fno-weft-subscripts") {
    line.subscripts = false;
  } else if (argument == "-fweft-check-ranges") {
    line.checks_ranges = true;
  } else if (argument == "-fno-weft-check-ranges") {
    line.checks_ranges = false;
  } else {
    return false;
  }
  return true;
}

// Splits a response file as clang does on Linux: white space, quotes, and backslashes.
std::vector<std::string> split(std::istream& file) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (char c; file.get(c);) {
    if (c == '\\') {
      in_word = true;
      if (file.get(c)) word += c;
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_word = true;
    } else if (std::string_view(" \t\n\r").find(c) != std::string_view::npos) {
      if (in_word) words.push_back(word);
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(word);
  return words;
}

}  // namespace

std::vector<std::string> expand(const std::vector<std::string>& arguments, int depth) {
  std::vector<std::string> expanded;
  for (const std::string& argument : arguments) {
    std::ifstream file;
    if (argument.size() > 1 && argument[0] == '@' && depth < 16) file.open(argument.substr(1));
    if (file.is_open()) {
      for (std::string& word : expand(split(file), depth + 1)) expanded.push_back(std::move(word));
    } else {
      expanded.push_back(argument);
    }
  }
  return expanded;
}

CommandLine read_arguments(const std::vector<std::string>& given) {
  CommandLine line;
  line.internal = !given.empty() && (given[0].starts_with("-cc1") || given[0] == "-fc1");
  if (line.internal) {
    line.arguments = given;
    return line;
  }
  bool must_rewrite = false, names_linker = false;
  std::vector<std::string> kept;
  const std::vector<std::string> expanded = expand(given);
  for (std::size_t i = 0; i < expanded.size(); ++i) {
    const std::string& argument = expanded[i];
    if (take_own(argument, line) || contradicts(argument)) {
      must_rewrite = true;
      continue;
    }
    kept.push_back(argument);
    if (takes_next(argument) && i + 1 < expanded.size()) {
      kept.push_back(expanded[++i]);
      line.stops_early |= argument == "-x" && is_header_language(expanded[i]);
      continue;
    }
    line.stops_early |= stops_early(argument) || is_header(argument);
    line.shared |= argument == "-shared" || argument == "--shared";
    line.relocatable |= argument == "-r";
    if (argument.starts_with("-flto")) line.optimises_at_link = true;
    if (argument == "-fno-lto") line.optimises_at_link = false;
    names_linker |= argument.starts_with("--ld-path=") ||
                    (argument.starts_with("-fuse-ld=") && argument.find("lld") == argument.npos);
    if (is_unsupported(argument)) line.unsupported = argument;
  }
  line.optimises_at_link &= !names_linker;
  // Response files stay files unless something in them has to go: they are there because the
  // command line was too long.
  line.arguments = must_rewrite ? kept : given;
  return line;
}

}  // namespace weft::driver
