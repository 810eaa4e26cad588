# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs in Fortran: the same parts as in C (see program.py), fewer kinds of steps.

Every step is a procedure of a module, whose variables are the arrays and the steps' results.
"""

import dataclasses
import random

import program
from fortran_steps import INNER, KINDS, OUTER, FortranStep  # noqa: F401

HEAD = """\
  use omp_lib
  implicit none
  integer, parameter :: long = selected_int_kind(18)
"""
HELPERS = """\
  pure integer(long) function mix(a, b)
    integer(long), intent(in) :: a, b
    mix = modulo(ieor(a, ishft(b, 3)) * 31 + b * 17 + 12345, 1000003_long)
  end function
  pure integer(long) function hash(values)
    integer(long), intent(in) :: values(:)
    integer :: k
    hash = size(values)
    do k = 1, size(values)
      hash = mix(hash, values(k))
    end do
  end function
  subroutine tell(name, value)
    character(*), intent(in) :: name
    integer(long), intent(in) :: value
    print '(a, 1x, z16.16)', name, value
  end subroutine
"""


class FortranProgram(program.Program):
    def render(self, keep=None):
        regions = [dataclasses.replace(r, steps=[s for s in r.steps if keep is None or s.name in keep])
                   for r in self.regions]
        regions = [r for r in regions if r.steps]
        steps = [s for r in regions for s in r.steps]
        lines = [f"! Random program {self.seed}.", "module parts", *HEAD.splitlines()]
        for array in self.arrays:
            lines.append(f"  {array.element}, allocatable :: {array.name}(:)" if array.place == "heap"
                         else f"  {array.element} :: {array.name}({array.length}) = 3")
        lines += [f"  {line}" if line[0] != "!" else line for s in steps for line in s.globals]
        lines += ["contains", *HELPERS.splitlines()]
        for step in steps:
            lines += [f"  ! {step.kind}", f"  subroutine {step.name}(round)", "    integer, intent(in) :: round",
                      "    integer :: i, k", "    integer(long) :: v, key", *program.indented(step.body, 4),
                      "  end subroutine"]
        for region in regions:
            lines += self.region(region)
        return "\n".join([*lines, "end module", "", *self.main_program(regions)]) + "\n"

    def region(self, region):
        calls, pending = [], set()
        for step in region.steps:
            if pending & (step.reads | step.writes):
                calls.append("!$omp barrier")
                pending = set()
            calls.append(f"call {step.name}(round)")
            pending = set() if step.ends_with_barrier else pending | step.reads | step.writes
        if not region.serial:
            clauses = region.clauses.replace("!=", "/=")
            calls = [f"!$omp parallel{clauses}", *calls, "!$omp end parallel"]
        return [f"  subroutine {region.name}(round)", "    integer, intent(in) :: round", *program.indented(calls, 4),
                "  end subroutine"]

    def main_program(self, regions):
        check = [f"  call tell('{a.name}', hash(int({a.name}, long)))" for a in self.arrays]
        lines = ["program random", "  use parts", "  implicit none", "  integer :: round, i",
                 *(f"  call {s.rstrip(';')}" for s in self.settings)]
        for array in self.arrays:
            if array.place == "heap":
                lines += [f"  allocate({array.name}({array.length}))", f"  {array.name} = 3"]
            lines.append(f"  {array.name}(1:{array.length}:3) = [(int(modulo(i, 100), {KINDS[array.element]}), "
                         f"i = 1, {array.length}, 3)]")
        lines += [f"  {line}" for r in regions for s in r.steps for line in s.setup]
        for region in regions:
            lines += [f"  do round = 0, {region.rounds - 1}", f"    call {region.name}(round)",
                      *(check if region.checked else []), "  end do"]
            lines += [f"  call tell('{s.name} {s.kind}', {value})" for s in region.steps for value in s.results]
        return [*lines, *check, "  i = 0", "end program"]


def draw(seed, inner, outer):
    rng = random.Random(f"Fortran {seed}")
    arrays = [dataclasses.replace(a, element=rng.choice(list(KINDS))) for a in program.draw_arrays(rng)]
    settings = program.draw_settings(rng)
    regions = [program.draw_region(n, seed, rng, arrays, "f90", inner, outer, FortranStep)
               for n in range(rng.randint(2, 4))]
    return FortranProgram(seed, "f90", arrays, regions, settings)
