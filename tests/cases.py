# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What drivers of cases share: how a case says that it has failed or cannot be done here."""

SKIPPED = 77  # the status that ctest is told of
TIMEOUT = 120  # seconds; a loaded machine is no failure


class Complaint(Exception):
    """What a job did wrong, in a sentence."""


class Skipped(Exception):
    """Why something cannot be tested here."""


def require(condition, sentence):
    if not condition:
        raise Complaint(sentence)
