// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// main loads a library that clang++ made, and that needs another: the constructors of both run once
// in the job, in their order, and all nodes use and change the same static data.
//
// plugins: uses_registry.cpp plain
#include <dlfcn.h>
#include <omp.h>

#include <cstdio>
#include <string>

template <typename Function>
Function* function(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

int main(int, char** argv) {
  const std::string path = std::string(argv[1]) + "/libuses_registry.so";
  void* const library = dlopen(path.c_str(), RTLD_NOW);
  if (library == nullptr) return std::puts(dlerror()), 1;
  if (library != dlopen(path.c_str(), RTLD_NOW)) return std::puts("another handle"), 1;
  auto* const found_at_start = function<int()>(library, "plugin_found_at_start");
  auto* const starts = function<int()>(library, "plugin_registry_starts");
  auto* const find = function<int(const char*)>(library, "plugin_registry_find");
  auto* const add = function<void(const char*, int)>(library, "plugin_registry_add");
  auto* const call = function<int()>(library, "plugin_call");
  int failures = found_at_start() != 2 || starts() != 1;
#pragma omp parallel reduction(+ : failures)
  {
    const int me = omp_get_thread_num();
    const int count = omp_get_num_threads();
    failures += found_at_start() != 2 || starts() != 1 || find("the plugin's") != 11;
    failures += function<int()>(library, "plugin_call") != call;
    add(("thread " + std::to_string(me)).c_str(), me);
#pragma omp critical
    call();
#pragma omp barrier
    for (int other = 0; other < count; ++other) {
      failures += find(("thread " + std::to_string(other)).c_str()) != other;
    }
#pragma omp single
    failures += call() != count + 1;
  }
  std::printf("%d failures\n", failures);
  if (failures == 0) std::puts("ok");
}
