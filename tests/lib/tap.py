"""Tests in Python that speak the Test Anything Protocol, run by prove: the twin of tap.h, for tests on real parts.

    from tap import ok, is_, like, done_testing

A check's name is a sentence that states the rule. A check prints one line, returns whether it passed, and on failure
says what it got and what it wanted. done_testing() prints the plan and ends the program.
"""

import re
import sys

_checks = 0
_failures = 0


def diag(text):
    """Why a check failed, on stderr, which prove shows as well without -v."""
    for line in str(text).splitlines() or [""]:
        print("# " + line, file=sys.stderr, flush=True)


def note(text):
    """Comment lines in the output, for who reads all of it."""
    for line in str(text).splitlines() or [""]:
        print("# " + line, flush=True)


def ok(condition, name):
    global _checks, _failures
    _checks += 1
    passed = bool(condition)
    print(f"{'' if passed else 'not '}ok {_checks} - {name.replace('#', chr(92) + '#')}", flush=True)
    if not passed:
        _failures += 1
        caller = sys._getframe(1)
        while caller.f_code.co_filename == __file__:
            caller = caller.f_back
        diag(f"failed: {name}")
        diag(f"at {caller.f_code.co_filename}:{caller.f_lineno}")
    return passed


def is_(got, wanted, name):
    passed = ok(got == wanted, name)
    if not passed:
        diag(f"   got: {got!r}")
        diag(f"wanted: {wanted!r}")
    return passed


def like(got, pattern, name):
    passed = ok(re.search(pattern, got, re.DOTALL), name)
    if not passed:
        diag(f"         got: {got!r}")
        diag(f"should match: {pattern}")
    return passed


def skip(reason, name=""):
    """Counts one check as skipped. On CI a skip has to be as good as a pass: never skip what a cluster could prove."""
    global _checks
    _checks += 1
    print(f"ok {_checks} - {name} # SKIP {reason}", flush=True)


def done_testing():
    print(f"1..{_checks}", flush=True)
    sys.exit(0 if _failures == 0 and _checks > 0 else 1)
