// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the linker check has to know of an object, whether alone or a member of an archive: which
// symbols it has and asks for, and whether weftcc compiled it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::linker {

struct ObjectFile {
  enum class Kind {
    kNone,         // no object: a linker script, or of another machine
    kRelocatable,  // what a compiler makes
    kShared,
    kBitcode,  // for link-time optimisation; its symbols are not read
  } kind = Kind::kNone;
  std::vector<std::string_view> needs;    // weak ones left out: they load nothing from an archive
  std::vector<std::string_view> defines;  // global ones
  bool marked = false;                    // some of it at least was compiled by weftcc
  // Thread-local variables: whether it has or names any, whether its code adds the thread's shift
  // to their addresses (base/thread_local_abi.h), and those that others must define.
  bool uses_thread_locals = false, adds_shift = false;
  std::vector<std::string_view> needed_thread_locals;
  // The first symbol by which compilers call OpenMP; empty: it does not use OpenMP.
  std::string openmp_symbol;
};

// The views are into `contents`. What is damaged counts as no object: the linker will say so.
[[nodiscard]] ObjectFile read_object(std::string_view contents);

// Whether there is any need to look closer: bytes that every use of OpenMP leaves in a file.
[[nodiscard]] bool may_use_openmp(std::string_view contents);

}  // namespace weft::linker
