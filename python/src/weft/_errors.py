# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes wrong with a job, as an exception."""


class Error(RuntimeError):
    """The job cannot do what was asked; the message says why, and what to do."""
