// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Becomes another program on each node: node K executes $NODE_PROGRAM_K, or else $NODE_PROGRAM, in
// the control group $NODE_CGROUP_K and with libraries from $NODE_LIBRARIES_K, if these are set. Stands
// for hosts that have different files under one name, and hosts with less memory.
//
// It has no main, and so no __libc_start_main, which is where a process becomes a node: the program
// that it executes finds the launcher's link untouched. Link with -nostartfiles.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char* of_this_node(const char* name) {
  char full[64];
  snprintf(full, sizeof full, "%s_%s", name, getenv("WEFT_NODE"));
  return getenv(full);
}

static void enter_group(const char* procs_file) {
  const int file = open(procs_file, O_WRONLY);
  if (file < 0 || write(file, "0", 1) != 1) _exit(99);
  close(file);
}

__attribute__((force_align_arg_pointer)) void _start(void) {
  const char* group = of_this_node("NODE_CGROUP");
  if (group != NULL) enter_group(group);
  const char* program = of_this_node("NODE_PROGRAM");
  if (program == NULL) program = getenv("NODE_PROGRAM");
  const char* libraries = of_this_node("NODE_LIBRARIES");
  if (libraries != NULL) setenv("LD_LIBRARY_PATH", libraries, 1);
  char* arguments[8] = {(char*)program};
  for (int i = 1; i < 7; ++i) {
    char name[32];
    snprintf(name, sizeof name, "NODE_ARGUMENT_%d", i);
    arguments[i] = getenv(name);
  }
  execv(program, arguments);
  _exit(98);
}
