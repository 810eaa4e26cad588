# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Jobs that an ordinary Python session starts, and waits for."""

from __future__ import annotations

import multiprocessing.spawn
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from . import _command
from ._errors import Error
from ._nodes import here

T = TypeVar("T")


class _Traceback(Exception):
    """Of a node, as the cause of the exception that its function has raised."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def run(function: Callable[..., T], nodes: int, *arguments: Any, options: Sequence[str] = ()) -> list[T]:
    """Starts a job of so many nodes on this machine, calls function(*arguments) on each, and returns what they return, by number.

    As multiprocessing does, it pickles function, arguments and results. So the function is defined in a module, or in the script
    whose other statements stand behind `if __name__ == "__main__":`. Functions of a notebook or a prompt need the package
    cloudpickle. `options` are those of `weft run`. If a function raises an exception, the job ends and the exception is raised
    here, with that node's traceback as its cause; if the job ends otherwise, weft.Error.
    """
    if here().nodes > 1:
        raise Error("weft.run starts a job, and this process is a node of one already: call it from an ordinary session")
    with tempfile.TemporaryDirectory(prefix="weft-run-") as name:
        folder = Path(name)
        (folder / "call").write_bytes(_pickled(function, arguments))
        command = [_command.find(), "run", "-n", str(nodes), *options, "--binding", sys.executable, "-m", "weft._worker", name]
        status = _wait(subprocess.Popen(command, stdin=subprocess.DEVNULL, env=_environment()))
        _raise_failure(folder, nodes)
        results = [folder / f"result.{node}" for node in range(nodes)]
        if status != 0 or not all(each.exists() for each in results):
            raise Error(f"the job has ended with status {status} and without results; its output says why")
        return [pickle.loads(each.read_bytes()) for each in results]


def _pickled(function: Callable[..., Any], arguments: tuple[Any, ...]) -> bytes:
    preparation = multiprocessing.spawn.get_preparation_data("weft.run")
    preparation.pop("authkey")  # a secret, and not needed
    has_script = Path(getattr(sys.modules["__main__"], "__file__", "")).is_file()
    if not has_script:
        preparation.pop("init_main_from_path", None)
    if has_script or function.__module__ != "__main__":
        return pickle.dumps((preparation, pickle.dumps((function, arguments))))
    try:
        import cloudpickle
    except ImportError:
        raise Error(f"{function.__name__} is defined at a prompt or in a notebook, where other processes cannot find it: install "
                    f"cloudpickle, or put the function into a module") from None
    return pickle.dumps((preparation, cloudpickle.dumps((function, arguments))))


def _environment() -> dict[str, str]:
    package = str(Path(__file__).resolve().parents[1])
    others = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": package if not others else f"{package}{os.pathsep}{others}"}


def _wait(job: subprocess.Popen) -> int:
    try:
        return job.wait()
    except BaseException:
        job.send_signal(signal.SIGINT)
        job.wait()
        raise


def _raise_failure(folder: Path, nodes: int) -> None:
    for node in range(nodes):
        file = folder / f"failure.{node}"
        if not file.exists():
            continue
        text, pickled = pickle.loads(file.read_bytes())
        if pickled is None:
            raise Error(f"the function has failed on node {node}:\n{text}")
        raise pickle.loads(pickled) from _Traceback(f"on node {node}:\n{text}")
