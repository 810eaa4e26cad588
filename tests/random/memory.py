# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of steps: heap blocks handed on, stacks that others look into, nested regions."""


def heap(step):
    """Blocks allocated by one thread, read and changed by another, freed by a third."""
    value = step.source()
    n = step.number(1, 60)
    step.declare("static unsigned char* ${step}_block[$n]; static size_t ${step}_size[$n]; static u64 ${step}_hash[$n];",
                 n=n)
    step.do("""
#pragma omp for $first
for (int i = 0; i < $n; ++i) {
  ${step}_size[i] = 1 + mix($value, i + round) % $most;
  ${step}_block[i] = (unsigned char*)$allocate;
  memset(${step}_block[i], (int)(i + round), ${step}_size[i]);
}
#pragma omp for $second
for (int i = 0; i < $n; ++i) {
  ${step}_block[i] = (unsigned char*)realloc(${step}_block[i], ${step}_size[i] + $more);
  memset(${step}_block[i] + ${step}_size[i], 7, $more);
}
#pragma omp for $third
for (int i = 0; i < $n; ++i) {
  ${step}_hash[i] = mix(${step}_hash[i], hash_bytes(${step}_block[i], ${step}_size[i] + $more));
  free(${step}_block[i]);
}
""", first=step.schedule(), second=step.schedule(), third=step.schedule(), n=n, most=step.one_of(40, 600, 9000),
            more=step.one_of(1, 50, 3000), value=value,
            allocate=step.one_of(f"malloc({step.name}_size[i])", f"calloc({step.name}_size[i], 1)"))
    step.prints("hash_bytes(${step}_hash, sizeof ${step}_hash)")


def linked_list(step):
    """Nodes from every thread's heap in one list, which the main thread walks and frees."""
    value = step.source()
    step.declare("""
typedef struct ${step}_node { struct ${step}_node* next; u64 value; } ${step}_node;
static ${step}_node* ${step}_list;
static u64 ${step}_sum;
""")
    step.do("""
#pragma omp for $schedule
for (int i = 0; i < $n; ++i) {
  ${step}_node* const node = (${step}_node*)malloc(sizeof(${step}_node));
  node->value = mix($value, i + round);
#pragma omp critical
  {
    node->next = ${step}_list;
    ${step}_list = node;
  }
}
#pragma omp single
while (${step}_list) {
  ${step}_node* const node = ${step}_list;
  ${step}_list = node->next;
  ${step}_sum += node->value;
  free(node);
}
""", schedule=step.schedule(), n=step.number(1, 60), value=value)
    step.prints("${step}_sum")


def other_stacks(step):
    """Each thread's local array, filled by itself and read by all."""
    to = step.target()
    step.declare("static u64* ${step}_where[512];")
    step.do("""
u64 here[$size];
for (int i = 0; i < $size; ++i) here[i] = mix($value, i + round);
${step}_where[omp_get_thread_num()] = here;
#pragma omp barrier
const int threads = omp_get_num_threads();
#pragma omp for $schedule
for (int i = 0; i < $n; ++i) $to[i] = ($type)mix($to[i], ${step}_where[i % threads][i % $size]);
""", size=step.one_of(1, 30, 1000), schedule=step.schedule(), n=to.length, to=to.name, type=to.element,
            value=step.source())


def nested(step):
    to, value = step.target(at_most=110), step.source()
    step.do("""
#pragma omp for $schedule
for (int i = 0; i < $n; ++i) {
  u64 sum = 0;
#pragma omp parallel for num_threads($threads) reduction(+ : sum)
  for (int k = 0; k < $inner; ++k) sum += mix($value, k + round);
  $to[i] = ($type)mix($to[i], sum);
}
""", schedule=step.schedule(), n=to.length, to=to.name, type=to.element, value=value, threads=step.number(1, 3),
            inner=step.number(1, 20))


def nested_writes(step):
    """Inner teams that write to shared memory and to their maker's frame."""
    to, value = step.target(at_most=320), step.source()
    step.do("""
#pragma omp for schedule(static)
for (int row = 0; row < $n / 8; ++row) {
  u64 here[8];
#pragma omp parallel num_threads(2)
  {
#pragma omp for
    for (int k = 0; k < 8; ++k) {
      const int i = row * 8 + k;
      here[k] = mix($value, k + round);
    }
#pragma omp single
    for (int k = 0; k < 8; ++k) $to[row * 8 + k] = ($type)mix($to[row * 8 + k], here[7 - k]);
  }
}
""", n=to.length, to=to.name, type=to.element, value=value)


INNER = [heap, heap, linked_list, other_stacks, nested, nested_writes]
OUTER = []
