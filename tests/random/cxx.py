# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of steps that only C++ has."""


def containers(step):
    """A vector and a map of strings that all threads put into, and the main thread reads."""
    value = step.source()
    step.declare("static std::vector<u64> ${step}_values; static std::map<u64, std::string> ${step}_names;\n"
                 "static u64 ${step}_all;")
    step.do("""
#pragma omp for $schedule
for (int i = 0; i < $n; ++i) {
  const u64 value = mix($value, i + round);
#pragma omp critical
  {
    ${step}_values.push_back(value);
    ${step}_names[value % $keys] += std::string(1 + i % 40, 'x');
  }
}
#pragma omp single
{
  std::sort(${step}_values.begin(), ${step}_values.end());
  for (const u64 value : ${step}_values) ${step}_all = mix(${step}_all, value);
  for (const auto& [key, name] : ${step}_names) ${step}_all = mix(${step}_all, key + name.size());
  if (round == 1) ${step}_values.clear();
}
""", schedule=step.schedule(), n=step.number(1, 80), keys=step.one_of(1, 7, 50), value=value)
    step.prints("${step}_all")


def standard_atomics(step):
    value = step.source()
    step.declare("static std::atomic<u64> ${step}_sum{0}; static std::atomic<int> ${step}_count{0};\n"
                 "static std::atomic<$kind> ${step}_most{0};", kind=(kind := step.one_of("uint8_t", "uint32_t", "u64")))
    step.do("""
#pragma omp for $schedule
for (int i = 0; i < $n; ++i) {
  const u64 value = mix($value, i + round);
  ${step}_sum.fetch_add(value, std::memory_order_$order);
  ++${step}_count;
  $kind most = ${step}_most.load();
  while (most < ($kind)value && !${step}_most.compare_exchange_weak(most, ($kind)value)) {
  }
}
""", schedule=step.schedule(), n=step.number(1, 100), value=value, kind=kind,
            order=step.one_of("relaxed", "acq_rel", "seq_cst", "release"))
    step.prints("mix(${step}_sum, mix(${step}_count, ${step}_most))")


def class_reduction(step):
    value = step.source()
    step.declare("""
struct ${step}_histogram {
  std::vector<u64> counts = std::vector<u64>($size, 0);
  ${step}_histogram& operator+=(const ${step}_histogram& other) {
    for (size_t k = 0; k < counts.size(); ++k) counts[k] += other.counts[k];
    return *this;
  }
};
#pragma omp declare reduction(+ : ${step}_histogram : omp_out += omp_in)
static ${step}_histogram ${step}_all;
""", size=(size := step.one_of(3, 40)))
    step.do("""
#pragma omp for $schedule reduction(+ : ${step}_all)
for (int i = 0; i < $n; ++i) ${step}_all.counts[mix($value, i) % $size] += i + round;
""", schedule=step.schedule(), n=step.number(1, 300), size=size, value=value)
    step.prints("hash_bytes(${step}_all.counts.data(), ${step}_all.counts.size() * sizeof(u64))")


def exceptions(step):
    to, value = step.target(), step.source()
    step.do("""
#pragma omp for $schedule
for (int i = 0; i < $n; ++i) {
  try {
    if (i % $every == 0) throw std::runtime_error(std::to_string(i + round));
    $to[i] = ($type)mix($to[i], $value);
  } catch (const std::exception& error) {
    $to[i] = ($type)(std::stoi(error.what()) + $to[i]);
  }
}
""", schedule=step.schedule(), every=step.number(1, 20), n=to.length, to=to.name, type=to.element, value=value)


def objects(step):
    """Objects with virtual functions, made by one thread, used and destroyed by others."""
    value = step.source()
    step.declare("""
struct ${step}_base {
  virtual ~${step}_base() = default;
  virtual u64 area() const = 0;
};
struct ${step}_square : ${step}_base {
  u64 side;
  explicit ${step}_square(u64 s) : side(s) {}
  u64 area() const override { return side * side; }
};
struct ${step}_polygon : ${step}_base {
  std::vector<u64> corners;
  explicit ${step}_polygon(u64 n) : corners(n % 50 + 1, n) {}
  u64 area() const override { return hash_bytes(corners.data(), corners.size() * sizeof(u64)); }
};
static std::vector<std::unique_ptr<${step}_base>> ${step}_objects($n);
static u64 ${step}_areas[$n];
""", n=(n := step.number(1, 60)))
    step.do("""
#pragma omp for $first
for (int i = 0; i < $n; ++i) {
  const u64 value = mix($value, i + round);
  if (value % 2) ${step}_objects[i] = std::make_unique<${step}_square>(value);
  else ${step}_objects[i] = std::make_unique<${step}_polygon>(value);
}
#pragma omp for $second
for (int i = 0; i < $n; ++i) {
  const bool square = dynamic_cast<${step}_square*>(${step}_objects[$n - 1 - i].get()) != nullptr;
  ${step}_areas[i] = mix(${step}_areas[i] + square, ${step}_objects[$n - 1 - i]->area());
}
""", first=step.schedule(), second=step.schedule(), n=n, value=value)
    step.prints("hash_bytes(${step}_areas, sizeof ${step}_areas)")


def iterators(step):
    """A loop by iterators, a lambda, and a local static that the first to come initialises."""
    value = step.source()
    step.declare("static std::vector<unsigned> ${step}_vector($n); static u64 ${step}_sum;", n=step.number(1, 900))
    step.do("""
static const std::vector<u64> powers = [] {
  std::vector<u64> made(20, 1);
  for (size_t k = 1; k < made.size(); ++k) made[k] = made[k - 1] * 3;
  return made;
}();
const auto next = [&](u64 old, u64 i) { return (unsigned)mix(old + powers[i % powers.size()], $value); };
#pragma omp for $schedule
for (auto at = ${step}_vector.begin(); at < ${step}_vector.end(); ++at)
  *at = next(*at, (u64)(at - ${step}_vector.begin()));
#pragma omp for reduction(+ : ${step}_sum)
for (size_t k = 0; k < ${step}_vector.size(); ++k) ${step}_sum += mix(${step}_vector[k], k);
""", schedule=step.schedule(), value=value)
    step.prints("${step}_sum")


def mutexes(step):
    """Mutexes of the C++ library, each with what it guards; one alone or two at once."""
    value = step.source()
    step.declare("static std::mutex ${step}_mutex[$count]; static u64 ${step}_guarded[$count];",
                 count=(count := step.one_of(2, 5, 16)))
    guard = step.one_of("const std::lock_guard guard(${step}_mutex[k]);",
                        "const std::scoped_lock guard(${step}_mutex[k], ${step}_mutex[(k + 1) % $count]);",
                        "std::unique_lock guard(${step}_mutex[k], std::defer_lock);\n"
                        "  while (!guard.try_lock()) {\n  }")
    step.do(f"""
#pragma omp for $schedule
for (int i = 0; i < $n; ++i) {{
  const u64 value = mix($value, i + round);
  const u64 k = value % $count;
  {guard}
  $${{step}}_guarded[k] += value;
}}
""".replace("$${", "${"), schedule=step.schedule(), n=step.number(1, 80), value=value, count=count)
    step.prints("hash_bytes(${step}_guarded, sizeof ${step}_guarded)")


INNER = [mutexes, containers, standard_atomics, class_reduction, exceptions, objects, iterators]
OUTER = []
