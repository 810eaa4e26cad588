# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a random program is made of, and how it becomes C or C++.

A program has arrays and regions; a region has steps. Each step is a construct (a loop, tasks, a lock ...)
whose effect on the arrays and on its own results does not depend on which thread does what. So a run
on one thread says what every other run must print. Steps read what earlier steps wrote.

A step is made from a seed of its own: without it, the others stay what they are. That is how a failing
program is made smaller.
"""

import dataclasses
import random
import string

PRELUDE = """\
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t u64;

__attribute__((unused)) static u64 mix(u64 a, u64 b) {
  a ^= b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2);
  a *= 0xff51afd7ed558ccdu;
  return a ^ (a >> 29);
}

__attribute__((unused)) static u64 hash_bytes(const void* bytes, size_t count) {
  u64 hash = count;
  for (size_t i = 0; i < count; ++i) hash = mix(hash, ((const unsigned char*)bytes)[i]);
  return hash;
}

__attribute__((unused)) static void result(const char* name, u64 value) {
  printf("%s %016llx\\n", name, (unsigned long long)value);
}
"""
CXX_PRELUDE = """\
#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
"""
ELEMENT_TYPES = ["unsigned char", "unsigned char", "uint16_t", "uint32_t", "uint64_t"]


@dataclasses.dataclass
class Array:
    name: str
    element: str
    length: int
    place: str  # global, heap or stack


class Step:
    """One construct, as it is being written down by the function that is called its kind.

    The lists are C: `globals` at file scope, `setup` and `teardown` in main, `body` in the region.
    """

    def __init__(self, name, kind, rng, arrays, language):
        self.name, self.kind, self.rng, self.arrays, self.language = name, kind, rng, arrays, language
        self.globals, self.setup, self.teardown, self.body, self.results = [], [], [], [], []
        self.reads, self.writes = set(), set()
        self.ends_with_barrier = True

    # --- drawing ---
    def chance(self, probability):
        return self.rng.random() < probability

    def one_of(self, *choices):
        return self.rng.choice(choices)

    def number(self, low, high):
        return self.rng.randint(low, high)

    def schedule(self):
        kind = self.one_of("static", "static", "dynamic", "guided", "runtime", "auto", "nonmonotonic: dynamic",
                           "monotonic: dynamic")
        chunk = f", {self.one_of(1, 2, 3, 7, 32)}" if kind not in ("runtime", "auto") and self.chance(0.7) else ""
        return f"schedule({kind}{chunk})"

    def target(self, at_most=None):
        """An array to write to, each element by one thread."""
        free = [a for a in self.arrays if a.name not in self.reads | self.writes]
        fitting = [a for a in free if at_most is None or a.length <= at_most]
        array = self.rng.choice(fitting or [min(free, key=lambda a: a.length)])
        self.writes.add(array.name)
        return array

    def source(self):
        """The element of an array that is only read which iteration `i` looks at."""
        others = [a for a in self.arrays if a.name not in self.writes]
        array = self.rng.choice(others)
        self.reads.add(array.name)
        return f"{array.name}[((u64)i * {self.one_of(1, 1, 3, 7, 64)} + {self.number(0, 99)}) % {array.length}]"

    # --- writing down ---
    def fill(self, text, **values):
        values = {"step": self.name, **values}
        return string.Template(text).substitute(values).strip("\n").splitlines()

    def declare(self, text, **values):
        self.globals += self.fill(text, **values)

    def do(self, text, **values):
        self.body += self.fill(text, **values)

    def prints(self, expression, **values):
        """A value of this step's own, printed when the region is done."""
        self.results += self.fill(expression, **values)


@dataclasses.dataclass
class Region:
    name: str
    steps: list
    rounds: int
    clauses: str
    serial: bool  # the one step opens its own parallel regions
    orphaned: set  # names of the steps whose constructs are in functions of their own
    checked: bool  # the main thread looks at all arrays after each round

    def render(self):
        lines = []
        for step in self.steps:
            lines += step.globals
            if step.name in self.orphaned:
                lines += [f"static void {step.name}(int round) {{", "  (void)round;",
                          *indented(step.body), "}"]
        lines += [f"static void {self.name}(int round) {{", "  (void)round;"]
        if self.serial:
            lines += indented(self.step_lines())
        else:
            lines += [f"#pragma omp parallel{self.clauses}", "  {", *indented(self.step_lines(), 4), "  }"]
        return [*lines, "}", ""]

    def step_lines(self):
        lines, pending = [], set()
        for step in self.steps:
            if pending & (step.reads | step.writes):
                lines.append("#pragma omp barrier")
                pending = set()
            call = [f"{step.name}(round);"] if step.name in self.orphaned else ["{", *indented(step.body), "}"]
            lines += [f"// {step.name}: {step.kind}", *call]
            # Until the next barrier nobody may write what this step touches, nor read what it writes.
            pending = set() if step.ends_with_barrier else pending | step.reads | step.writes
        return lines


def indented(lines, by=2):
    return [line if line.startswith("#") else " " * by + line for line in lines]


@dataclasses.dataclass
class Program:
    seed: int
    language: str
    arrays: list
    regions: list
    settings: list  # C statements at the beginning of main

    def step_names(self):
        return [step.name for region in self.regions for step in region.steps]

    def kinds(self):
        return {step.name: step.kind for region in self.regions for step in region.steps}

    def render(self, keep=None):
        """The program's text, with the steps named in `keep` alone (default: all)."""
        regions = []
        for region in self.regions:
            steps = [s for s in region.steps if keep is None or s.name in keep]
            if steps:
                regions.append(dataclasses.replace(region, steps=steps))
        lines = [f"// Random program {self.seed}.", *(CXX_PRELUDE.splitlines() if self.language == "cpp" else []),
                 *PRELUDE.splitlines(), ""]
        for array in self.arrays:
            lines.append(f"static {array.element}* {array.name};" if array.place != "global"
                         else f"static {array.element} {array.name}[{array.length}];")
        lines += ["", *self.check_arrays(), ""]
        for region in regions:
            lines += region.render()
        return "\n".join([*lines, *self.main(regions)]) + "\n"

    def check_arrays(self):
        lines = ["static void check_arrays(void) {"]
        for array in self.arrays:
            lines.append(f'  result("{array.name}", hash_bytes({array.name}, {array.length} * sizeof *{array.name}));')
        return [*lines, "}"]

    def main(self, regions):
        lines = ["int main(void) {", *indented(self.settings)]
        for array in self.arrays:
            size = f"{array.length} * sizeof({array.element})"
            if array.place == "heap":
                lines.append(f"  {array.name} = ({array.element}*)calloc(1, {size});")
            elif array.place == "stack":
                lines += [f"  {array.element} {array.name}_here[{array.length}];", f"  {array.name} = {array.name}_here;",
                          f"  memset({array.name}, 0, {size});"]
            lines.append(f"  for (int i = 0; i < {array.length}; i += 3) {array.name}[i] = ({array.element})"
                         f"mix(i, {self.seed % 1000});")
        for step in (s for r in regions for s in r.steps):
            lines += indented(step.setup)
        for region in regions:
            lines += [f"  for (int round = 0; round < {region.rounds}; ++round) {{", f"    {region.name}(round);"]
            if region.checked:
                lines.append("    check_arrays();")
            lines.append("  }")
            for step in region.steps:
                lines += [f'  result("{step.name} {step.kind}", {value});' for value in step.results]
        lines.append("  check_arrays();")
        for step in (s for r in regions for s in r.steps):
            lines += indented(step.teardown)
        lines += [f"  free({array.name});" for array in self.arrays if array.place == "heap"]
        return [*lines, "  return 0;", "}"]


def draw_arrays(rng):
    arrays = []
    for number in range(rng.randint(3, 6)):
        length = rng.choice([16, 40, 100, 300, 1000, 5000])
        arrays.append(Array(f"a{number}", rng.choice(ELEMENT_TYPES), length + rng.randint(0, 9),
                            rng.choice(["global", "global", "heap", "stack"])))
    return arrays


def draw_settings(rng):
    settings = []
    if rng.random() < 0.7:
        kind, chunk = rng.choice(["static", "dynamic", "guided"]), rng.choice([0, 1, 2, 5, 16])
        settings.append(f"omp_set_schedule(omp_sched_{kind}, {chunk});")
    settings.append(f"omp_set_max_active_levels({rng.randint(1, 3)});")
    return settings


def draw_region(number, seed, rng, arrays, language, inner, outer, step_class=Step):
    """A region of a few steps of the kinds `inner`, or one step that opens its own regions."""
    serial = rng.random() < 0.3 if inner and outer else not inner
    kinds = rng.choices(list(outer if serial else inner), k=1 if serial else rng.randint(1, 5))
    steps = []
    for index, kind in enumerate(kinds):
        name = f"r{number}s{index}"
        step = step_class(name, kind.__name__, random.Random(f"{seed} {name}"), arrays, language)
        kind(step)
        steps.append(step)
    clauses = rng.choice(["", "", "", "", f" num_threads({rng.randint(1, 9)})", f" if(round != {rng.randint(0, 1)})"])
    orphaned = {s.name for s in steps if rng.random() < 0.4}
    return Region(f"region_{number}", steps, rng.choice([1, 1, 2, 3]), clauses, serial, orphaned, rng.random() < 0.4)


def draw(seed, language, inner, outer):
    rng = random.Random(f"program {seed}")
    arrays = draw_arrays(rng)
    settings = draw_settings(rng)
    regions = [draw_region(n, seed, rng, arrays, language, inner, outer) for n in range(rng.randint(2, 5))]
    return Program(seed, language, arrays, regions, settings)
