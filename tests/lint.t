#!/usr/bin/env python3
"""hack/lint: the tree is clean, and every rule refuses what it is there to refuse."""

import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "lib"))
from tap import diag, done_testing, is_, like, ok  # noqa: E402

LINT = HERE.parent / "hack" / "lint"

# A tree of the smallest size that every rule passes.
SOUND = {
    "Makefile": "VERSION := 1.2.3\n",
    ".clang-format": (HERE.parent / ".clang-format").read_text(),
    "controller/layers.mk": (HERE.parent / "controller/layers.mk").read_text(),
    "controller/base/a.h": "#ifndef BASE_A_H\n#define BASE_A_H\n\nint a_get(void);\n\n#endif\n",
    "controller/base/a.c": '#include "a.h"\n\nint a_get(void)\n{\n\treturn 1;\n}\n',
    "tests/unit/base/a.c": '#include "base/a.h"\n\nint main(void)\n{\n\treturn a_get();\n}\n',
}

LONG_FUNCTION = '#include "a.h"\n\nint a_get(void)\n{\n' + "\t(void)0;\n" * 70 + "\treturn 1;\n}\n"

# What the sentence names: the rule that has to object, and the files that are added or changed.
ROWS = [
    ("a layer that reaches above itself", "layers", {"controller/base/a.c": '#include "proto/frame.h"\n'}),
    ("a library in a layer that may not have it", "layers", {"controller/base/a.c": "#include <curl/curl.h>\n"}),
    ("cJSON, which no layer has", "layers", {"controller/core/plan.c": "#include <cjson/cJSON.h>\n"}),
    ("another header of kube than io.h in session", "layers", {"controller/session/s.c": '#include "kube/client.h"\n'}),
    ("core included by the runner", "layers", {"runner-image/main.c": '#include "core/plan.h"\n'}),
    ("the real side of io.h above kube", "layers", {"controller/manager/m.c": '#include "kube/uv_io.h"\n'}),
    ("the real side of io.h beside main.c", "layers", {"controller/options.c": '#include "kube/uv_io.h"\n'}),
    ("a header of the program in a layer", "layers",
     {"controller/base/a.c": '#include "options.h"\n', "controller/options.h": "\n"}),
    ("a library in the program that it may not have", "layers", {"controller/main.c": "#include <curl/curl.h>\n"}),
    ("an include with ..", "layers", {"controller/base/a.c": '#include "../a.h"\n'}),
    ("a layer that the table does not have", "layers", {"controller/extra/x.c": "int x;\n"}),
    ("C that clang-format would change", "format", {"controller/base/a.c": '#include "a.h"\nint a_get(void){return 1;}\n'}),
    ("a script that shellcheck complains about", "shell", {"hack/x": "#!/bin/bash\nrm $1\n"}),
    ("a function of 71 lines", "sizes", {"controller/base/a.c": LONG_FUNCTION}),
    ("a file of 501 lines", "sizes", {"controller/base/a.c": "\n" * 501}),
    ("a header of 151 lines", "sizes", {"controller/base/a.h": "\n" * 151}),
    ("a line of C of 101 columns", "sizes", {"controller/base/a.c": "/*" + "x" * 99 + "\n"}),
    ("a line of a script of 131 columns", "sizes", {"hack/x": "#!/bin/bash\n# " + "x" * 129 + "\n"}),
    ("a blank at the end of a line", "text", {"README.md": "text \n"}),
    ("a file that ends without a newline", "text", {"README.md": "text"}),
    ("a line comment in C", "text", {"controller/base/a.c": "int a; // why\n"}),
    ("a mark of unfinished work", "text", {"README.md": "TO" "DO: the rest\n"}),
    ("a file that no rule knows", "places", {"controller/notes.txt": "x\n"}),
    ("a module without a test", "tested", {"controller/base/b.c": "\n"}),
    ("a module of the program without a test", "tested", {"controller/options.c": "\n"}),
    ("a test without a module", "tested", {"tests/unit/base/b.c": "\n"}),
    ("an exported function without its module's name", "names", {"controller/base/a.c": "int get(void)\n{\n\treturn 1;\n}\n"}),
    ("an include guard of the program's that is not its path", "names",
     {"controller/options.h": "#ifndef PROGRAM_OPTIONS_H\n#define PROGRAM_OPTIONS_H\n#endif\n"}),
    ("an include guard that is not the path", "names", {"controller/base/a.h": "#ifndef A_H\n#define A_H\n#endif\n"}),
    ("a header that needs another before it", "headers", {"controller/base/a.h": "size_t a_size(void);\n"}),
    ("a clock read in the core", "pure",
     {"controller/core/c.c": "#include <time.h>\n\nlong c_now(void)\n{\n\treturn time(0);\n}\n"}),
    ("a log line written by the core", "pure",
     {"controller/core/c.c": "void log_write(void);\nvoid c_say(void)\n{\n\tlog_write();\n}\n",
      "controller/base/log.h": "#ifndef BASE_LOG_H\n#define BASE_LOG_H\n#endif\n"}),
    ("a static variable in the core", "pure",
     {"controller/core/c.c": "int c_next(void)\n{\n\tstatic int last;\n\n\treturn ++last;\n}\n"}),
    ("a file opened by what builds manifests", "pure",
     {"controller/build/b.c": "#include <stdio.h>\n\nvoid *b_open(void)\n{\n\treturn fopen(\"x\", \"r\");\n}\n"}),
    ("a path of one machine", "portable", {"README.md": f"see {pathlib.Path.home()}/x\n"}),
    ("a host of a registry", "portable", {"README.md": "from pyp" "i.org\n"}),
    ("a chart of another version", "version", {"charts/sandboxtask/Chart.yaml": "version: 1.2.2\n"}),
    ("an image of another version", "version", {"manifests/x.yaml": "image: docker.io/sandboxtask/runner-python:1.2.2\n"}),
]


def lint(root, *rules):
    result = subprocess.run([LINT, "--root", root, *rules], capture_output=True, text=True)
    return result.returncode, result.stdout + result.stderr


def make_tree(root, files):
    subprocess.run(["git", "init", "--quiet", root], check=True)
    for name, text in files.items():
        path = pathlib.Path(root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


with tempfile.TemporaryDirectory() as root:
    make_tree(root, SOUND)
    status, output = lint(root)
    if not is_(status, 0, "a sound tree passes every rule"):
        diag(output)

for name, rule, files in ROWS:
    with tempfile.TemporaryDirectory() as root:
        make_tree(root, {**SOUND, **files})
        status, output = lint(root, rule)
        like(f"exit {status}\n{output}", rf"^exit 1\n[^\n]*{next(iter(files))}:\d+: {rule}: ", f"{rule} refuses {name}")

listed = subprocess.run([LINT, "--list"], capture_output=True, text=True, check=True).stdout
for rule in (line.split()[0] for line in listed.splitlines()):
    ok(any(row[1] == rule for row in ROWS), f"rule {rule} has a row here")

status, output = lint(str(HERE.parent))
if not is_(status, 0, "this tree passes every rule"):
    diag(output)

done_testing()
