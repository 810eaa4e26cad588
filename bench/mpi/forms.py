# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of this benchmark, and which file has which form of them (see ../README.md)."""

import pathlib

SOURCES = pathlib.Path(__file__).resolve().parent / "programs"
# name: iterations, k: by then pages have found their homes, and what is asked for is known
PROGRAMS = {"jacobi": 120, "sor": 120, "sor_grid": 120, "cg": 120, "mg": 36, "fft": 108, "is": 36, "is_scatter": 36, "lu": 54,
            "nbody": 24, "matmul": 48}
FORMS = ("shaped", "plain", "said")
# The plain forms of these with explicit sharing (weft/weft.h), in `said`.
SAID = ("sor", "lu", "is_scatter")
# These are plain, and do in another way what another program does.
PLAIN_ONLY = {"sor_grid": "sor", "is_scatter": "is"}
PLAIN_SOURCES = {"is": "openmp/is_scatter.c", "is_scatter": "openmp/is_scatter.c"}  # the others are in `plain`


def openmp(name, forms=FORMS):
    """form: its file, of the forms that are asked for"""
    found = {"plain": PLAIN_SOURCES.get(name, f"plain/{name}.c")}
    if name not in PLAIN_ONLY:
        found["shaped"] = f"openmp/{name}.c"
    if name in SAID:
        found["said"] = f"said/{name}.c"
    return {form: SOURCES / found[form] for form in forms if form in found}


def mpi(name):
    return SOURCES / f"mpi/{PLAIN_ONLY.get(name, name)}.c"
