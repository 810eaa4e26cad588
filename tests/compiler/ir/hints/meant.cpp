// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clang-format off
//
// What the language allows, and nobody means; also in templates, whose instances tell of it once.
//
// RUN: not weftc++ -std=c++20 -Wno-sizeof-array-argument -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: weftc++ -std=c++20 -DRIGHT -Wall -Wextra -Werror -S -emit-llvm %s -o - | FileCheck -check-prefix=RIGHT %s
#include <array>
#include <cstddef>
#include <mutex>
#include <vector>

thread_local int each_threads;
double all[1000];
std::mutex mutex;
std::mutex& also_mutex = mutex;
std::mutex* pointer;

template <typename T>
struct Table {
  T* rows;
  std::size_t count;
  std::vector<T> more;
  std::array<T, 8> few;

  // RIGHT: call {{.*}} @weft_broadcast(ptr noundef %{{.*}}, i64 noundef 64)
  // RIGHT: call {{.*}} @weft_broadcast(ptr noundef %{{.*}}, i64 noundef 32)
  void right() {
#pragma weft broadcast(few, rows[0:count])
#pragma weft broadcast(more.data()[0:more.size()])
    const auto later = [this] {
#pragma weft read_mostly(rows[2:count - 2])
    };
    later();
  }
#ifndef RIGHT
  void wrong() {
// CHECK: :[[@LINE+2]]:24: error: a hint about a pointer ('double *') is not about the memory that it points to; name a section of that, as in 'p[0:count]'
// CHECK: :{{.*}}: note: 'rows' is declared here
#pragma weft broadcast(rows)
// CHECK: :[[@LINE+1]]:24: warning: a hint about a container ('std::vector<double>') is not about its elements; name them, as in 'x.data()[0:x.size()]'
#pragma weft broadcast(more)
  }
#endif
};

void use(Table<double>& doubles, Table<float>& floats) {
  doubles.right();
  floats.right();
#ifndef RIGHT
  doubles.wrong();
  floats.wrong();
#endif
}

#ifndef RIGHT
void array(double written[50]) {
// CHECK: :[[@LINE+4]]:24: error: a hint about a pointer ('double *')
// CHECK-NEXT: #pragma weft gather(written)
// CHECK-NEXT: ^
// CHECK-NEXT: [0:50]
#pragma weft    gather(written)
// CHECK: :[[@LINE+2]]:24: warning: a hint about a variable that each thread has for itself does nothing of use
// CHECK: note: 'each_threads' is declared here
#pragma weft broadcast(each_threads)
// CHECK: :[[@LINE+1]]:30: error: a section cannot have -1 elements
#pragma weft broadcast(all[0:-1])
// CHECK: :[[@LINE+2]]:24: warning: the section ends 100 elements behind the array ('double[1000]')
// CHECK: note: 'all' is declared here
#pragma weft broadcast(all[900:200])
// CHECK: :[[@LINE+1]]:32: error: a pointer ('std::mutex *') is no lock; name the lock that it points to
#pragma weft migrate(all) with(pointer)
// CHECK: :[[@LINE+1]]:32: warning: 'double' is no lock that Weft knows, so that nothing comes with it
#pragma weft migrate(all) with(all[0])
#pragma weft migrate(all) with(also_mutex)
// CHECK: :[[@LINE+2]]:41: warning: no critical region in this file has the name 'update'; did you mean 'updates'?
// CHECK: {{ updates$}}
#pragma weft migrate(all) with(critical(update))
#pragma weft migrate(all) with(critical(updates))
#pragma weft migrate(all) with(critical(of_another_file))
#pragma omp critical(updates)
  all[0] = 1;
// CHECK: 5 warnings and 4 errors generated
}
#endif
