# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of steps: locks, atomic operations, flags, and the constructs that one thread executes."""


def critical(step):
    value = step.source()
    cells = step.one_of(1, 3, 40)
    step.declare("static struct { u64 sum, bits; unsigned count; } ${step}_cells[$cells];", cells=cells)
    step.do("""
#pragma omp for $schedule
for (int i = 0; i < $n; ++i) {
  const u64 value = mix($value, i + round);
#pragma omp critical($name)
  {
    ${step}_cells[i % $cells].sum += value;
    ${step}_cells[i % $cells].bits ^= value;
    ++${step}_cells[i % $cells].count;
  }
}
""", schedule=step.schedule(), n=step.number(8, 120), cells=cells, value=value,
            name=step.one_of(step.name, "shared_name"))
    step.prints("hash_bytes(${step}_cells, sizeof ${step}_cells)")


def locks(step):
    """Locks in an array, each with the record that it guards; plain, nested, or taken by test."""
    value = step.source()
    nest = "nest_" if step.chance(0.3) else ""
    count = step.one_of(1, 4, 30)
    take = f"omp_set_{nest}lock(lock);"
    if step.chance(0.3):
        take = f"while (!omp_test_{nest}lock(lock)) {{\n    }}"
    again = "omp_set_nest_lock(lock);\n  record[0] += 1;\n  omp_unset_nest_lock(lock);" if nest else "record[0] += 1;"
    step.declare("static omp_${nest}lock_t ${step}_locks[$count]; static u64 ${step}_records[$count][2];",
                 nest=nest, count=count)
    step.setup += step.fill("for (int i = 0; i < $count; ++i) omp_init_${nest}lock(&${step}_locks[i]);",
                            nest=nest, count=count)
    step.teardown += step.fill("for (int i = 0; i < $count; ++i) omp_destroy_${nest}lock(&${step}_locks[i]);",
                               nest=nest, count=count)
    step.do("""
#pragma omp for $schedule
for (int i = 0; i < $n; ++i) {
  const u64 value = mix($value, round);
  omp_${nest}lock_t* const lock = &${step}_locks[value % $count];
  u64* const record = ${step}_records[value % $count];
  $take
  $again
  record[1] ^= mix(value, i);
  omp_unset_${nest}lock(lock);
}
""", schedule=step.schedule(), n=step.number(8, 100), value=value, nest=nest, count=count, take=take, again=again)
    step.prints("hash_bytes(${step}_records, sizeof ${step}_records)")


def atomics(step):
    value = step.source()
    kind = step.one_of("unsigned char", "uint16_t", "uint32_t", "u64")
    clause = step.one_of("", " relaxed", " release", " acq_rel", " seq_cst")
    step.declare("static $kind ${step}_sums[$cells], ${step}_bits, ${step}_most; static double ${step}_whole;",
                 kind=kind, cells=(cells := step.one_of(1, 5, 64)))
    step.do("""
#pragma omp for $schedule
for (int i = 0; i < $n; ++i) {
  const u64 value = mix($value, i + round);
#pragma omp atomic update$clause
  ${step}_sums[i % $cells] += ($kind)value;
#pragma omp atomic update
  ${step}_bits ^= ($kind)(value >> 8);
#pragma omp atomic compare
  if (${step}_most < ($kind)value) { ${step}_most = ($kind)value; }
#pragma omp atomic update
  ${step}_whole += (double)(value % 100);
}
""", schedule=step.schedule(), n=step.number(8, 150), cells=cells, value=value, kind=kind,
            clause=clause if clause != " acq_rel" else "")
    step.prints("hash_bytes(${step}_sums, sizeof ${step}_sums)")
    step.prints("mix(mix(${step}_bits, ${step}_most), (u64)${step}_whole)")


def tickets(step):
    """Each iteration draws a number; whichever it gets, all are drawn once."""
    n = step.number(2, 100)
    step.declare("static int ${step}_next; static unsigned char ${step}_drawn[$n];", n=n)
    draw = step.one_of("#pragma omp atomic capture$order\n  ticket = ${step}_next++;",
                       "ticket = __atomic_fetch_add(&${step}_next, 1, __ATOMIC_RELAXED);",
                       "ticket = __sync_fetch_and_add(&${step}_next, 1);",
                       "#pragma omp critical\n  ticket = ${step}_next++;")
    step.do(f"""
#pragma omp for $schedule
for (int i = 0; i < $n; ++i) {{
  int ticket;
  {draw}
  $${{step}}_drawn[ticket % $n] += (unsigned char)(1 + round);
}}
""".replace("$${", "${"), schedule=step.schedule(), n=n, order=step.one_of("", " acq_rel", " seq_cst", " acquire"))
    step.prints("mix(${step}_next, hash_bytes(${step}_drawn, sizeof ${step}_drawn))")


FLAGS = {  # how a flag is waited for, and how it is set
    "acquire and release": ("#pragma omp atomic read acquire\n      seen = ${step}_flags[i - 1];", "",
                            "#pragma omp atomic write release\n  ${step}_flags[i] = round + 1;"),
    "flush": ("#pragma omp atomic read\n      seen = ${step}_flags[i - 1];", "#pragma omp flush",
              "#pragma omp flush\n#pragma omp atomic write\n  ${step}_flags[i] = round + 1;"),
    "seq_cst": ("#pragma omp atomic read seq_cst\n      seen = ${step}_flags[i - 1];", "",
                "#pragma omp atomic write seq_cst\n  ${step}_flags[i] = round + 1;"),
    "C11": ("seen = __atomic_load_n(&${step}_flags[i - 1], __ATOMIC_ACQUIRE);", "",
            "__atomic_store_n(&${step}_flags[i], round + 1, __ATOMIC_RELEASE);"),
    "fence": ("seen = __atomic_load_n(&${step}_flags[i - 1], __ATOMIC_RELAXED);",
              "__atomic_thread_fence(__ATOMIC_ACQUIRE);",
              "__atomic_thread_fence(__ATOMIC_RELEASE);\n"
              "  __atomic_store_n(&${step}_flags[i], round + 1, __ATOMIC_RELAXED);"),
}


def flags(step):
    """Plain data handed from iteration to iteration; each waits for the flag of the one before."""
    value = step.source()
    wait, then, announce = FLAGS[step.one_of(*FLAGS)]
    n = step.number(2, 14)
    step.declare("static int ${step}_flags[$n]; static u64 ${step}_data[$n];", n=n)
    step.do(f"""
#pragma omp for schedule(static, 1)
for (int i = 0; i < $n; ++i) {{
  if (i > 0) {{
    int seen;
    do {{
      {wait}
    }} while (seen != round + 1);
{then}
  }}
  $${{step}}_data[i] = mix(i > 0 ? $${{step}}_data[i - 1] : (u64)round, $value);
  {announce}
}}
""".replace("$${", "${"), n=n, value=value)
    step.prints("hash_bytes(${step}_data, sizeof ${step}_data)")


def single(step):
    to, value = step.target(at_most=320), step.source()
    nowait = step.chance(0.3)
    step.ends_with_barrier = not nowait
    step.do("""
#pragma omp single$nowait
for (int i = 0; i < $n; ++i) $to[i] = ($type)mix($to[i] + round, $value);
""", nowait=" nowait" if nowait else "", n=to.length, to=to.name, type=to.element, value=value)


def copyprivate(step):
    to, value = step.target(), step.source()
    step.do("""
u64 key;
unsigned char pad[$size];
#pragma omp single copyprivate(key, pad)
{
  const int i = round;
  key = $value;
  for (int k = 0; k < $size; ++k) pad[k] = (unsigned char)(key + k);
}
#pragma omp for $schedule
for (int i = 0; i < $n; ++i) $to[i] = ($type)mix($to[i] + pad[i % $size], key + i);
""", size=step.one_of(1, 64, 5000), schedule=step.schedule(), n=to.length, to=to.name, type=to.element, value=value)


def masked(step):
    to, value = step.target(at_most=320), step.source()
    step.ends_with_barrier = False
    step.do("""
#pragma omp $construct
for (int i = 0; i < $n; ++i) $to[i] = ($type)mix($to[i] + round, $value);
""", construct=step.one_of("masked", "master", "masked filter(0)"), n=to.length, to=to.name, type=to.element,
            value=value)


def serial_writes(step):
    """The main thread alone, between regions."""
    to, value = step.target(), step.source()
    step.do("for (int i = 0; i < $n; i += $stride) $to[i] = ($type)mix($to[i] + round, $value);",
            n=to.length, stride=step.one_of(1, 2, 50), to=to.name, type=to.element, value=value)


def threadprivate(step):
    """Sums that each thread keeps from one region to the next; a value that copyin hands out."""
    value = step.source()
    step.declare("static u64 ${step}_own, ${step}_key;\n#pragma omp threadprivate(${step}_own, ${step}_key)\n"
                 "static u64 ${step}_total;")
    step.do("""
${step}_key = mix(round, $number);
#pragma omp parallel copyin(${step}_key)
{
  ${step}_own = 0;
#pragma omp for $schedule
  for (int i = 0; i < $n; ++i) ${step}_own += mix($value, ${step}_key + i);
}
#pragma omp parallel
{
#pragma omp atomic update
  ${step}_total += ${step}_own;
}
""", number=step.number(0, 99), schedule=step.schedule(), n=step.number(1, 400), value=value)
    step.prints("${step}_total")


INNER = [critical, locks, atomics, atomics, tickets, flags, single, copyprivate, masked]
OUTER = [serial_writes, threadprivate]
