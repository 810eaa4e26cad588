// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libraries: registry.cpp plain
//
// A plugin that needs another library: its constructors use what that one's have made.
#include "registry.hpp"

namespace {

int found_at_start = 0;
int calls = 0;
[[gnu::constructor]] void begin() {
  registry_add("the plugin's", 11);
  found_at_start = registry_find("two");
}

}  // namespace

extern "C" int plugin_found_at_start() { return found_at_start; }
extern "C" int plugin_call() { return ++calls; }
extern "C" int plugin_registry_find(const char* name) { return registry_find(name); }
extern "C" int plugin_registry_starts() { return registry_starts(); }
extern "C" void plugin_registry_add(const char* name, int number) { registry_add(name, number); }
