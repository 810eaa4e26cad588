# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a script on several nodes, under this Python:

    python3 -m weft -n 4 [options of weft run] script.py [arguments]

Python's own -c and -m may stand in place of a script.
"""

import os
import sys

from . import _command
from ._errors import Error


def main() -> int:
    arguments = sys.argv[1:]
    begins = [i for i, each in enumerate(arguments) if each.endswith(".py") or each in ("-c", "-m")]
    if not begins:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        command = _command.find()
    except Error as error:
        print(f"weft: {error}", file=sys.stderr)
        return 127
    options, script = arguments[:begins[0]], arguments[begins[0]:]
    os.execv(command, [command, "run", *options, "--binding", sys.executable, *script])


sys.exit(main())
