# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing program smaller: drops halves of its steps, then single ones, while it fails."""

import time


def smallest(steps, fails, until):
    """(the steps that are left, what was wrong with them the last time; nothing if nothing could go)"""
    last_complaint = ""
    stretch = max(1, len(steps) // 2)
    while stretch >= 1:
        begin = 0
        while begin < len(steps) and len(steps) > 1:
            if time.monotonic() > until:
                return steps, last_complaint
            fewer = steps[:begin] + steps[begin + stretch:]
            complaint = fails(set(fewer)) if fewer else ""
            if complaint:
                steps, last_complaint = fewer, complaint
            else:
                begin += stretch
        stretch //= 2
    return steps, last_complaint
