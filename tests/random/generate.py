# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a seed to a program, in one of the languages."""

import random

import cancelling
import cxx
import events
import fortran
import loops
import memory
import program
import sharing
import tasks
import threads

LANGUAGES = ["c", "cpp", "f90"]
SUFFIXES = {"c": ".c", "cpp": ".cpp", "f90": ".f90"}
FLAGS = {"c": [], "cpp": ["-std=c++20"], "f90": []}
C_MODULES = [loops, sharing, tasks, memory, events, cancelling]


def kinds_of(modules, names):
    """(steps inside a region, steps with regions of their own), of these names alone if given."""
    chosen = lambda kinds: [k for k in kinds if names is None or k.__name__ in names]
    return ([k for m in modules for k in chosen(m.INNER)], [k for m in modules for k in chosen(m.OUTER)])


def draw(seed, language=None, names=None):
    language = language or random.Random(f"language {seed}").choices(LANGUAGES, [6, 3, 2])[0]
    if language == "f90":
        return fortran.draw(seed, *kinds_of([fortran], names))
    modules = C_MODULES + ([cxx, cxx, threads] if language == "cpp" else [])
    return program.draw(seed, language, *kinds_of(modules, names))
