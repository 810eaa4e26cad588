// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries that the program loads: by the main thread, by threads of other nodes, those that were
// made without Weft, those that do not exist. One of them says "ok" at the end.
// plugins: plugin.cpp, second.c, plain.c plain
#include "../lib/plugin.hpp"

#include <dlfcn.h>
#include <omp.h>

#include <cstring>
#include <string>
#include <vector>

#include "../../openmp/check.h"

static std::string folder;

template <typename F>
static F* find(void* library, const char* name) {
  void* const address = dlsym(library, name);
  EXPECT(address != nullptr, "%s is not found: %s", name, dlerror());
  return reinterpret_cast<F*>(address);
}

static void* load(const char* name, int mode = RTLD_NOW) {
  void* const library = dlopen((folder + "/lib" + name + ".so").c_str(), mode);
  EXPECT(library != nullptr, "%s cannot be loaded: %s", name, dlerror());
  return library;
}

static void one() {
  void* const library = load("plugin");
  EXPECT(find<int()>(library, "times_constructed")() == 1, "Its constructors are wrong.");
  EXPECT(find<int()>(library, "run")() == omp_get_max_threads(), "It failed on some threads.");
  std::vector<Plugin*> made(64);
  int* const counter = find<int>(library, "counter");
#pragma omp parallel
  {
    made[omp_get_thread_num()] = find<Plugin*()>(library, "make")();
#pragma omp barrier
    for (int i = 0; i < omp_get_num_threads(); ++i)
      EXPECT(made[i]->describe() == "plugin 4", "An object of another thread is wrong.");
    EXPECT(*counter == 77 && find<int>(library, "counter") == counter, "The data is not one.");
#pragma omp barrier
    delete made[omp_get_num_threads() - 1 - omp_get_thread_num()];
  }
  EXPECT(load("plugin") == library, "Loaded again, it is another one.");
  EXPECT(load("plugin", RTLD_NOW | RTLD_NOLOAD) == library, "It is not there.");
  EXPECT(dlclose(library) == 0 && dlclose(library) == 0, "It cannot be closed: %s", dlerror());
}

static void in_region() {
  void* libraries[64];
  int last = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    // The last thread first, which is on another node; then all at once.
    if (me == omp_get_num_threads() - 1) libraries[me] = load("second"), last = me;
#pragma omp barrier
    if (me != last) libraries[me] = load("second");
#pragma omp barrier
    EXPECT(libraries[me] == libraries[0], "The library has two handles.");
    if (me != 0) dlclose(libraries[0]);
  }
  EXPECT(find<double(double)>(libraries[0], "fill")(2.0) == 2.0 * (1 << 20), "The sum is wrong.");
}

static void not_of_weft() {
  void* const library = load("plain");
  const auto count = find<int()>(library, "plain_count");
  EXPECT(find<double()>(library, "plain_sum")() == 3000.0 * 2999 / 2, "Its region is wrong.");
#pragma omp parallel
  {
    EXPECT(find<int()>(library, "plain_count") == count, "Its functions are elsewhere.");
    EXPECT(count() > 0, "Its function cannot be called.");
  }
}

static void failures() {
  EXPECT(dlopen((folder + "/nothing.so").c_str(), RTLD_NOW) == nullptr, "Nothing was loaded.");
  const char* const why = dlerror();
  EXPECT(why != nullptr && std::strstr(why, "nothing.so") != nullptr, "The reason is '%s'.", why);
  EXPECT(dlerror() == nullptr, "There is one more reason.");
  void* const program = dlopen(nullptr, RTLD_NOW);
  EXPECT(dlsym(program, "no_such_function") == nullptr, "A function was found.");
  EXPECT(dlsym(RTLD_DEFAULT, "omp_get_wtime") != nullptr, "OpenMP was not found.");
}

int main(int argc, char** argv) {
  EXPECT(argc == 2, "Where are the libraries?");
  folder = argv[1];
  failures();
  one();
  in_region();
  not_of_weft();
  return 0;
}
