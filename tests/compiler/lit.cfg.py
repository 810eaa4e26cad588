# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os

import lit.formats

config.name = "Weft compiler"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".c", ".cpp", ".f90", ".ll", ".test"]
config.excludes = ["Inputs", "node"]
config.test_source_root = os.path.dirname(__file__)
# Tests that run side by side each have a lit of their own, which keeps notes there.
config.test_exec_root = os.path.join(config.test_exec_root, os.environ.get("WEFT_LIT_CASE", "all"))
os.makedirs(config.test_exec_root, exist_ok=True)

path = [os.path.join(config.weft_build, "bin"), config.llvm_tools, os.environ["PATH"]]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["OMP_NUM_THREADS"] = "2"
config.environment["LC_ALL"] = "C"

library = os.path.join(config.weft_build, "lib")
config.substitutions.append(("%library", library))
config.substitutions.append(("%include", os.path.join(config.weft_source, "src")))
config.substitutions.append(("%pass", os.path.join(library, "libweft-pass.so")))
config.substitutions.append(
    ("%node", "env LD_PRELOAD=" + os.path.join(config.weft_build, "tests", "libweft_test_node.so")))

# Jobs of several nodes need the whole of Weft, which a build of the compiler alone does not have.
if all(os.path.exists(os.path.join(config.weft_build, path))
       for path in ("bin/weft", "lib/libweft-node.so")):
    config.available_features.add("cluster")
