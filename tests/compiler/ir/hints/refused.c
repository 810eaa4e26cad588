// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What makes no sense is told of once, in its place.
//
// RUN: not weftcc -ferror-limit=0 -fsyntax-only %s 2>&1 | FileCheck -strict-whitespace %s
extern double a[1000];
// CHECK: :[[@LINE+1]]:9: error: '#pragma weft' stands for a statement, and can only be in a function
#pragma weft broadcast(a)
void f(double* p, int k) {
// CHECK-NEXT: #pragma
// CHECK-NEXT: {{\|         \^$}}
// CHECK-NEXT: :[[@LINE+1]]:13: error: expected the name of a hint behind '#pragma weft'
#pragma weft
// CHECK: :[[@LINE+1]]:14: error: 'brodcast' is no hint of '#pragma weft'; did you mean 'broadcast'?
#pragma weft brodcast(a)
// CHECK: {{ broadcast$}}
// CHECK: :[[@LINE+1]]:14: error: 'nonsense' is no hint of '#pragma weft'
#pragma weft nonsense(a)
// CHECK: :[[@LINE+1]]:23: error: expected '(' behind 'broadcast'
#pragma weft broadcast
// CHECK: :[[@LINE+2]]:28: error: expected ')'
// CHECK: :[[@LINE+1]]:23: note: to match this '('
#pragma weft broadcast(a[1]
// CHECK: :[[@LINE+1]]:24: error: expected an object or a section of one
#pragma weft broadcast()
// CHECK: :[[@LINE+1]]:27: error: expected an object or a section of one
#pragma weft broadcast(a, )
// CHECK: :[[@LINE+1]]:27: error: nothing can follow ')' in '#pragma weft broadcast'
#pragma weft broadcast(a) nowait
// CHECK: :[[@LINE+1]]:26: error: 'broadcast' has no distribution
#pragma weft broadcast(a : block)
// CHECK: :[[@LINE+1]]:23: error: expected a distribution: block, cyclic, cyclic(length) or node(number)
#pragma weft home(a : blocks)
// CHECK: :[[@LINE+1]]:23: error: expected a distribution: block, cyclic, cyclic(length) or node(number)
#pragma weft home(a : node)
// CHECK: :[[@LINE+1]]:21: error: expected a distribution: block, cyclic, cyclic(length) or node(number)
#pragma weft home(a :)
// CHECK: :[[@LINE+1]]:27: error: only the last brackets can be a section
#pragma weft broadcast(a[1:2][3])
// CHECK: :[[@LINE+1]]:28: error: expected the number of elements of the section
#pragma weft broadcast(a[1:])
// CHECK: :[[@LINE+1]]:28: error: expected an object before its section
#pragma weft broadcast([1:2])
// CHECK: :[[@LINE+1]]:24: error: expected 'with(lock)' behind 'migrate'
#pragma weft migrate(a)
// CHECK: :[[@LINE+1]]:30: error: expected '(' behind 'with'
#pragma weft migrate(a) with p
// CHECK: :[[@LINE+1]]:30: error: expected a lock
#pragma weft migrate(a) with()
// CHECK: :[[@LINE+1]]:38: error: expected '(name)' or nothing behind 'critical'; a lock of that name is '(critical)'
#pragma weft migrate(a) with(critical())
// CHECK: :[[@LINE+1]]:38: error: expected '(name)' or nothing behind 'critical'; a lock of that name is '(critical)'
#pragma weft migrate(a) with(critical[1])
// Names and types are clang's to check.
// CHECK: :[[@LINE+2]]:24: error: use of undeclared identifier 'nobody'
// CHECK-NOT: nobody'
#pragma weft broadcast(nobody)
// CHECK: error: subscripted value is not an array, pointer, or vector
#pragma weft broadcast(k[0:2])
// CHECK: error: subscripted value is not an array, pointer, or vector
#pragma weft scatter(k)
// CHECK: :[[@LINE+1]]:30: error: use of undeclared identifier 'length'
#pragma weft scatter(p[0:4 * length])
// CHECK: 25 errors generated
}
