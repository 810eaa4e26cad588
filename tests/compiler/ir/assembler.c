// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements of assembler with an atomic instruction run on a copy of the word; what cannot be run
// again is left as it is, with a warning.
//
// RUN: weftcc -O1 -S -emit-llvm %s -o - 2>%t | FileCheck %s
// RUN: FileCheck --check-prefix=WARNING %s <%t
// RUN: weftcc -O0 -c %s -o %t.o -Wno-inline-asm -Werror

// CHECK-LABEL: define {{.*}} @increment(
// CHECK: call void @__weft_atomic_load(ptr %0,
// CHECK: call void asm sideeffect "lock; incl $0", {{.*}}(ptr {{.*}} %[[COPY:[0-9]+]], ptr {{.*}}
// %[[COPY]]) CHECK: call i32 @__weft_atomic_compare_exchange(ptr %0,
void increment(int* count) { __asm__ __volatile__("lock; incl %0" : "+m"(*count)); }

// CHECK-LABEL: define {{.*}} @swap(
// CHECK: asm sideeffect "cmovzl %eax, %edx\0Alock cmpxchgq $1, ($2)\0Asetz %dl
// CHECK: call i32 @__weft_atomic_compare_exchange(ptr %0, ptr {{.*}}, ptr {{.*}}, i32 8,
int swap(long* word, long from, long to) {
  int swapped;
  __asm__ __volatile__("cmovzl %%eax, %%edx\nlock cmpxchgq %1, (%2)\nsetz %%dl"
                       : "=d"(swapped)
                       : "b"(to), "c"(word), "a"(from));
  return swapped;
}

// The width is that of an operand.
// CHECK-LABEL: define {{.*}} @exchange(
// CHECK: asm sideeffect "xchg $0, $1"
// CHECK: call i32 @__weft_atomic_compare_exchange(ptr %0, ptr {{.*}}, ptr {{.*}}, i32 2,
short exchange(short* word, short to) {
  __asm__ __volatile__("xchg %0, %1" : "+r"(to), "+m"(*word) : : "memory");
  return to;
}

// CHECK-LABEL: define {{.*}} @fence(
// CHECK: asm sideeffect "lock; orl $$0, (%rsp)"
// CHECK: @__weft_fence
void fence(void) { __asm__ __volatile__("lock; orl $0, (%%rsp)" : : : "memory"); }

// CHECK-LABEL: define {{.*}} @plain(
// CHECK-NOT: @__weft
// CHECK: ret
int plain(int word, int* locked) {
  __asm__("xchgb %b0, %h0 # lock" : "+Q"(word));
  __asm__ __volatile__("rep; nop");
  __asm__ __volatile__("addl %1, %0" : "+m"(*locked) : "r"(word));
  return word;
}

// CHECK-LABEL: define {{.*}} @jump(
// CHECK-NOT: @__weft
// CHECK: ret
// WARNING: assembler.c:[[@LINE+2]]:{{.*}}warning: {{.*}}atomic on one node only
void jump(int* word) {
  __asm__ __volatile__("1: lock; decl %0\n jns 2f\n jmp 1b\n2:" : "+m"(*word));
}

// WARNING: assembler.c:[[@LINE+2]]:{{.*}}warning: {{.*}}atomic on one node only
void two_words(int* one, int* other) {
  __asm__ __volatile__("lock incl (%0); incl (%1)" : : "r"(one), "r"(other) : "memory");
}

// WARNING: assembler.c:[[@LINE+2]]:{{.*}}warning: {{.*}}atomic on one node only
void wide(long* pair, long low, long high) {
  __asm__ __volatile__("lock cmpxchg16b (%0)" : : "r"(pair), "a"(0), "d"(0), "b"(low), "c"(high));
}

// WARNING: assembler.c:[[@LINE+2]]:{{.*}}warning: {{.*}}atomic on one node only
void bit(int* words, int number) {
  __asm__ __volatile__("lock btsl %1, %0" : "+m"(*words) : "r"(number));
}

// WARNING: assembler.c:[[@LINE+2]]:{{.*}}warning: {{.*}}atomic on one node only
void address_too(long* word) {
  __asm__ __volatile__("lock xaddq %%rax, (%0); movq %0, %%rax" : : "r"(word) : "rax", "memory");
}
// WARNING: assembler.c:[[@LINE+3]]:{{.*}}warning: {{.*}}atomic on one node only
long* address_returned(long* word) {
  long* same;
  __asm__ __volatile__("lock incq (%1)" : "=r"(same) : "0"(word) : "memory");
  return same;
}
// WARNING-NOT: warning
// WARNING: 6 warnings generated
