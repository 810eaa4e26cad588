// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library that modules of the network's library bring, too: the program has it as its own.
// links: -l:libnl-3.so.200
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

struct nl_addr;
struct nl_addr* nl_addr_build(int family, const void* bytes, size_t count);
const void* nl_addr_get_binary_addr(const struct nl_addr* address);
void nl_addr_put(struct nl_addr* address);

int main(void) {
  const unsigned char here[4] = {127, 0, 0, 1};
  struct nl_addr* address = nl_addr_build(2, here, sizeof here);
  int failures = address == NULL;
#pragma omp parallel reduction(+ : failures)
  failures += memcmp(nl_addr_get_binary_addr(address), here, sizeof here) != 0;
  nl_addr_put(address);
  // And one that uses it.
  void* routes = dlopen("libnl-route-3.so.200", RTLD_LAZY);
  if (routes == NULL) return puts(dlerror()), 1;
#pragma omp parallel reduction(+ : failures)
  failures += dlsym(routes, "rtnl_link_alloc") == NULL;
  printf("%d failures\n", failures);
  if (failures == 0) puts("ok");
  return 0;
}
