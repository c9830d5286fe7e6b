"""Runs every test, and ends with the line by which `.ci/run` counts them."""

import pathlib
import sys
import time
import unittest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]
sys.dont_write_bytecode = True

began = time.monotonic()
result = unittest.TextTestRunner(stream=sys.stdout).run(unittest.TestLoader().discover(str(HERE)))
# A test whose parts fail has failed once.
failed = len({str(getattr(case, "test_case", case)) for case, _ in result.failures + result.errors})
print(f"Tests:       {f'{failed} failed, ' if failed else ''}{result.testsRun - failed} passed, {result.testsRun} total")
print(f"Time:        {time.monotonic() - began:.1f} s")
sys.exit(0 if result.wasSuccessful() else 1)
