// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/linking/symbol_table.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string_view>

namespace weft {
namespace {

const link_map* map_of_c_library() {
  const link_map* map = _r_debug.r_map;
  while (map != nullptr && std::string_view(map->l_name).find("/libc.so") == std::string::npos) {
    map = map->l_next;
  }
  return map;
}

TEST(SymbolTable, FindsWhatTheObjectDefines) {
  const link_map* const map = map_of_c_library();
  ASSERT_NE(map, nullptr);
  const SymbolTable table(map->l_ld);
  for (const char* name : {"send", "pthread_create", "open", "dl_iterate_phdr"}) {
    const ElfW(Sym)* const symbol = table.definition_of(HashedName(name));
    ASSERT_NE(symbol, nullptr) << name;
    EXPECT_STREQ(table.name_of(*symbol), name);
    EXPECT_EQ(reinterpret_cast<void*>(map->l_addr + symbol->st_value), dlsym(RTLD_NEXT, name));
  }
}

TEST(SymbolTable, ListsAllThatItFinds) {
  const link_map* const map = map_of_c_library();
  ASSERT_NE(map, nullptr);
  const SymbolTable table(map->l_ld);
  const auto is_listed = [&](const char* name) {
    const auto number =
        static_cast<std::size_t>(table.definition_of(HashedName(name)) - &table.at(0));
    return table.first_definition() <= number && number < table.end_of_definitions();
  };
  for (const char* name : {"send", "pthread_create", "open", "stdout"})
    EXPECT_TRUE(is_listed(name));
  std::size_t found = 0;  // not all: there are others of old versions
  for (std::size_t i = table.first_definition(); i < table.end_of_definitions(); ++i) {
    const ElfW(Sym)* const symbol = table.definition_of(HashedName(table.name_of(table.at(i))));
    if (symbol == &table.at(i)) ++found;
  }
  EXPECT_GT(2 * found, table.end_of_definitions() - table.first_definition());
}

TEST(SymbolTable, FindsNothingElse) {
  const link_map* const map = map_of_c_library();
  ASSERT_NE(map, nullptr);
  const SymbolTable table(map->l_ld);
  EXPECT_EQ(table.definition_of(HashedName("sen")), nullptr);
  EXPECT_EQ(table.definition_of(HashedName("sending_of_nobody")), nullptr);
  EXPECT_EQ(table.definition_of(HashedName("")), nullptr);
  EXPECT_NE(table.definition_of(HashedName("sending", 4)), nullptr);
}

// Not the program's symbols: a sanitizer defines there what the others' names would find.
TEST(SymbolTable, LeavesOutWhatIsOnlyNeeded) {
  const link_map* const map = map_of_c_library();
  ASSERT_NE(map, nullptr);
  const SymbolTable table(map->l_ld);
  EXPECT_EQ(table.definition_of(HashedName("__tls_get_addr")), nullptr);
  EXPECT_NE(dlsym(RTLD_DEFAULT, "__tls_get_addr"), nullptr);
}

}  // namespace
}  // namespace weft
