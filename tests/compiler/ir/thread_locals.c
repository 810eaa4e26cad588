// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An object with thread-local variables asks for pages of their own; others do not, nor one whose
// variables must be placed when the program starts although it may be loaded later.
//
// RUN: weftcc -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=NONE
// RUN: weftcc -O2 -S -emit-llvm %s -DUSES -o - | FileCheck %s --check-prefix=NONE
// RUN: weftcc -O2 -S -emit-llvm %s -DDEFINES -o - | FileCheck %s --check-prefix=WANTED
// RUN: weftcc -O0 -S -emit-llvm %s -DDEFINES -fPIC -o - | FileCheck %s --check-prefix=WANTED
// RUN: weftcc -S -emit-llvm %s -DDEFINES -fPIC -ftls-model=initial-exec -o - | FileCheck %s --check-prefix=NONE
//
// The block is whole pages from a page on, whatever the linker.
// RUN: weftcc -O2 %s -DDEFINES -DWITH_MAIN -o %t && readelf -lW %t | FileCheck %s --check-prefix=BLOCK
// RUN: weftcc -O2 %s -DDEFINES -DWITH_MAIN -Wl,--gc-sections -o %t && readelf -lW %t | FileCheck %s --check-prefix=BLOCK
// RUN: weftcc -O2 %s -DDEFINES -DWITH_MAIN -fuse-ld=lld-22 -o %t && readelf -lW %t | FileCheck %s --check-prefix=BLOCK

// WANTED: @weft_thread_local_pages = external hidden
// WANTED: @llvm.compiler.used = {{.*}}@__weft_thread_local_pages_wanted
// NONE-NOT: weft_thread_local_pages
// BLOCK: TLS {{.*}}000 0x{{[0-9a-f]+}}000 0x001000 0x003000 R 0x1000

#ifdef USES
extern _Thread_local int elsewhere;
int use(void) { return elsewhere; }
#endif
#ifdef DEFINES
_Thread_local char text[5000];
_Thread_local int number = 5;
char *use(void) { return text + number; }
#endif
#ifdef WITH_MAIN
int main(void) { return *use(); }
#endif
int something;
