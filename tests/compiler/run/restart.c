// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process that is to be a node and has no node library executes itself again with one, once,
// without address randomisation, and with its arguments. (A stand-in lies where the library would:
// a directory with a copy of libweft.so.)
//
// RUN: rm -rf %t.d && mkdir %t.d && cp %library/libweft.so %t.d
// RUN: weftcc -DPROGRAM %s -o %t.d/program -Wl,--disable-new-dtags -Wl,-rpath,%t.d
// RUN: env WEFT_NODES=1 %t.d/program a b | FileCheck -check-prefix=PLAIN %s
// RUN: %t.d/program a b | FileCheck -check-prefix=PLAIN %s
// RUN: not env WEFT_NODES=3 %t.d/program a b 2>&1 | FileCheck -check-prefix=MISSING %s
// RUN: clang-22 -shared -fPIC %s -o %t.d/libweft-node.so -Wl,-soname,libweft-node.so
// RUN: env WEFT_NODES=3 LD_PRELOAD=libm.so.6 %t.d/program a b | FileCheck -check-prefix=NODE %s
// RUN: not env WEFT_NODES=3 WEFT_RESTARTED=1 %t.d/program 2>&1 | FileCheck -check-prefix=LOOP %s
// PLAIN: node library 0 randomised 1 arguments a b
// MISSING: weft: {{.*}}/libweft-node.so: No such file or directory
// NODE: node library 1 randomised 0 arguments a b
// LOOP: weft: this process is to be a node of a job {{.*}} cannot be preloaded
#ifdef PROGRAM
#include <stdio.h>
#include <sys/personality.h>

extern int __weft_spans_nodes;
int main(int argc, char **argv) {
  int randomised = (personality(0xffffffff) & ADDR_NO_RANDOMIZE) == 0;
  printf("node library %d randomised %d arguments %s %s\n", __weft_spans_nodes, randomised, argv[1],
         argv[2]);
  return argc != 3;
}
#else
int __weft_spans_nodes = 1;
#endif
