"""Writes the bindings of linear algebra from the table in bridge/linalg/bindings.txt, which says what its lines mean.

    python3 bindings.py TABLE python OUT          wrappers for Python, and their table of methods
    python3 bindings.py TABLE shims OUT           C functions that Fortran calls
    python3 bindings.py TABLE rows OUT            calls for the tests of all public functions
    python3 bindings.py TABLE fortran OUT SOURCE  a Fortran module: SOURCE, in which lines that begin with "!@" are replaced

In a Fortran source "!@procedure NAME" becomes the procedure of that function, and "!@declarations" what the module declares
of all procedures in it.
"""

import re
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

ARGUMENT = re.compile(r"(?P<name>\w+)(?P<optional>\?)?(?::(?P<kind>\w+))?(?:[=@](?P<test>\S+))?")
SHORT, COMPLEX = "g->array[SEVEN]", "g->array[VALUES]"
ARRAYS = {"short": SHORT, "complex": COMPLEX, "-": "(dap_darray){0}"}
HEADERS = ["linalg", "linalg_banded", "linalg_rank", "linalg_schur", "linalg_triangular"]


@dataclass
class Argument:
    name: str
    kind: str
    optional: bool = False
    test: str = ""

    @property
    def is_array(self):
        return self.kind in ("array", "indices")


@dataclass
class Function:
    name: str
    arguments: list[Argument]
    results: list[Argument]

    @property
    def passed_results(self):
        return [r for r in self.results if r.kind != "report"]

    def of(self, *kinds):
        return [a for a in self.arguments if a.kind in kinds]


def read_argument(text):
    found = ARGUMENT.fullmatch(text)
    kind = found["kind"] or ("letter" if "=" in text else "array")
    return Argument(found["name"], kind, bool(found["optional"]), found["test"] or "")


def read_table(path):
    table = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            name, rest = line.split(":", 1)
            arguments, _, results = rest.partition("->")
            table[name] = Function(
                name, [read_argument(a) for a in arguments.split()], [read_argument(r) for r in results.split()]
            )
    return table


def call_of(function, values, results):
    """Arguments of dap_linalg_<name>() between comm and options."""
    given = [values[a.kind](a) for a in function.arguments] + [results[r.kind](r) for r in function.passed_results]
    return ", ".join(given)


def includes():
    return [f"#include <dapbridge/{header}.h>" for header in HEADERS]


# ---- Python -----------------------------------------------------------------------------------------------------------

READS = {
    "letter": "const char {name} = letter(&call, args, {place});",
    "count": 'const int64_t {name} = whole_number(&call, args, {place}, "{name}");',
    "factor": "double {name}[2] = {{0}};\n  number(&call, args, {place}, {name});",
    "limit": "double {name}[2] = {{0}};\n  number(&call, args, {place}, {name});",
    "array": "const dap_darray {name} = argument(&call, args, {place});",
    "indices": "const dap_darray {name} = argument(&call, args, {place});",
}
RESULTS = {"complex": "double {name}[2] = {{0}};", "real": "double {name} = 0;", "whole": "int64_t {name} = 0;"}
BUILT = {
    "complex": ("N", "PyComplex_FromDoubles({name}[0], {name}[1])"),
    "real": ("d", "{name}"),
    "whole": ("L", "(long long){name}"),
    "report": ("L", "(long long)call.report.{name}"),
}


def wrapper(function):
    first = next(a for a in function.arguments if a.is_array)
    values = dict.fromkeys(("letter", "count", "factor"), lambda a: a.name)
    values["limit"] = lambda a: f"{a.name}[0]"
    values["array"] = values["indices"] = lambda a: f"first(&call, {a.name})" if a is first else a.name
    results = {"complex": lambda r: r.name, "real": lambda r: f"&{r.name}", "whole": lambda r: f"&{r.name}"}
    lines = [
        f"static PyObject *{function.name}(PyObject *module, PyObject *args)",
        "{",
        "  (void)module;",
        "  linalg_call call;",
        *("  " + RESULTS[r.kind].format(name=r.name) for r in function.passed_results),
        f"  if (!check_count(args, {len(function.arguments) + 2}) || !begin(&call, args)) return NULL;",
        *("  " + READS[a.kind].format(name=a.name, place=i) for i, a in enumerate(function.arguments, 1)),
        "  PyThreadState *thread = PyEval_SaveThread();",
        f"  const dap_status status = dap_linalg_{function.name}(call.comm, {call_of(function, values, results)}, &call.options,",
        "    &call.err);",
        "  PyEval_RestoreThread(thread);",
    ]
    if function.results:
        built = [BUILT[r.kind] for r in function.results]
        given = [text.format(name=r.name) for r, (_, text) in zip(function.results, built)]
        format_ = "".join(letter for letter, _ in built) + "N"
        lines += [
            "  PyObject *uses = finish(&call, status);",
            f'  return uses ? Py_BuildValue("({format_})", {", ".join(given)}, uses) : NULL;',
        ]
    else:
        lines += ["  return finish(&call, status);"]
    return [*lines, "}", ""]


def python(table):
    rows = [f'    {{"{name}", {name}, METH_VARARGS, NULL}},' for name in table]
    wrappers = [line for function in table.values() for line in wrapper(function)]
    head = ['#include "python_linalg_call.h"', "", *includes(), ""]
    return [*head, *wrappers, "PyMethodDef linalg_methods[] = {", *rows, "    {0},", "};"]


# ---- Fortran's shims --------------------------------------------------------------------------------------------------

SHIM = {  # of each kind: the shim's parameter, and what it passes on
    "letter": ("const char *{name}", "*{name}"),
    "count": ("const int64_t *{name}", "*{name}"),
    "factor": ("const double {name}[2]", "{name}"),
    "limit": ("const double *{name}", "{name} ? *{name} : -1"),
    "array": ("const dap_f_array *{name}", "dap_f_darray({name})"),
    "indices": ("const dap_f_array *{name}", "dap_f_darray({name})"),
    "complex": ("double {name}[2]", "{name}"),
    "real": ("double *{name}", "{name}"),
    "whole": ("int64_t *{name}", "{name}"),
}


def shim(function):
    both = function.arguments + function.passed_results
    parameters = ", ".join(SHIM[a.kind][0].format(name=a.name) for a in both)
    passed = ", ".join(SHIM[a.kind][1].format(name=a.name) for a in both)
    return [
        f"dap_status dap_f_linalg_{function.name}(const MPI_Fint *comm, {parameters},",
        "  const dap_linalg_options *options, dap_f_outcome *outcome)",
        "{",
        "  const dap_linalg_options all = dap_f_with_report(options, outcome);",
        f"  const dap_status status = dap_linalg_{function.name}(dap_f_comm(comm), {passed}, &all, &outcome->error);",
        *(f"  if (!status) dap_f_count_from_1({a.name});" for a in function.of("indices")),
        "  return status;",
        "}",
        "",
    ]


def shims(table):
    return ['#include "fortran_linalg_call.h"', "", *includes(), ""] + [l for f in table.values() for l in shim(f)]


# ---- rows of tests/calls ----------------------------------------------------------------------------------------------


def array_of_tests(argument):
    return ARRAYS.get(argument.test, f"g->array[{argument.test}]")


def rows(table):
    values = {
        "letter": lambda a: f"'{a.test}'",
        "count": lambda a: a.test,
        "factor": lambda a: "NULL",
        "limit": lambda a: "-1",
        "array": array_of_tests,
        "indices": array_of_tests,
    }
    results = {"complex": lambda r: "(double[2]){0}", "real": lambda r: "&(double){0}", "whole": lambda r: "NULL"}
    lines = []
    for function in table.values():
        looked_at = " | ".join(a.test.lower() for a in function.arguments if a.is_array and a.test not in ARRAYS)
        called = call_of(function, values, results)
        lines += [f"DIRECT(dap_linalg_{function.name}, COLLECTIVE({looked_at}), g->comm, {called}, NULL)"]
    return lines


# ---- Fortran's modules ------------------------------------------------------------------------------------------------

INTERFACE = {
    "letter": "character(kind=c_char), intent(in)",
    "count": "integer(c_int64_t), intent(in)",
    "factor": "complex(c_double_complex), intent(in), optional",
    "limit": "real(c_double), intent(in), optional",
    "array": "type(c_ptr), value",
    "indices": "type(c_ptr), value",
    "complex": "complex(c_double_complex), intent(inout)",
    "real": "real(c_double), intent(inout)",
    "whole": "integer(c_int64_t), intent(inout), optional",
}
PROCEDURE = {
    "letter": "character, intent(in)",
    "count": "integer, intent(in)",
    "factor": "complex(real64), intent(in), optional",
    "limit": "real(real64), intent(in), optional",
    "array": "type(dap_array), intent(in)",
    "indices": "type(dap_array), intent(in)",
    "complex": "complex(real64), intent(out)",
    "real": "real(real64), intent(out)",
    "whole": "integer(int64), intent(out), optional",
}
LAST = {  # what all procedures end with
    "options": "type(dap_linalg_options), intent(in), optional",
    "report": "type(dap_linalg_report), intent(out), optional",
    "err": "type(dap_error), intent(out), optional",
}
PASSED = {"count": "int({name}, int64)", "array": "{name}%handle", "indices": "{name}%handle"}
FACTOR, REAL = "complex(real64), intent(in), optional", "real(real64), intent(in)"


def wrapped(line):
    """A Fortran statement, in lines of at most 110 characters."""
    indent = re.match(r" *", line)[0]
    parts = textwrap.wrap(line, 106, subsequent_indent=indent + "  ", break_long_words=False, break_on_hyphens=False)
    return [part + " &" for part in parts[:-1]] + parts[-1:]


def declarations_of(names, types):
    """Declarations, those of one type in a row in one line."""
    lines = []
    for name in names:
        if lines and lines[-1].startswith(types[name] + " :: "):
            lines[-1] += f", {name}"
        else:
            lines += [f"{types[name]} :: {name}"]
    return lines


def interface(function):
    both = function.arguments + function.passed_results
    types = {"comm": "type(*), intent(in)", **{a.name: INTERFACE[a.kind] for a in both}}
    types |= {"options": LAST["options"], "o": "type(c_outcome), intent(inout)"}
    head = f"integer(c_int) function c_{function.name}({', '.join(types)}) bind(c, name='dap_f_linalg_{function.name}')"
    return [*wrapped("    " + head), "      import", *("      " + d for d in declarations_of(types, types)), "    end function"]


def procedure_types(function):
    """Arguments of a procedure in their order: what is required, arrays and results that may be left out, factors, limits."""

    def rank(a):
        return 3 if a.kind in ("factor", "limit") else 2 if a.kind == "whole" else 1 if a.optional else 0

    both = sorted(function.arguments + function.passed_results, key=rank)
    types = {a.name: PROCEDURE[a.kind] + (", optional" if a.optional else "") for a in both}
    return {"comm": "type(*), intent(in)", **types, **LAST}


def subroutine(name, types, body):
    head = f"  subroutine {name}({', '.join(types)})"
    lines = [*wrapped(head), *("    " + d for d in declarations_of(types, types))]
    return [*lines, *(part for line in body for part in wrapped("    " + line)), "  end subroutine"]


def passed(argument):
    if argument.optional:
        return f"handle_of({argument.name})"
    return PASSED.get(argument.kind, "{name}").format(name=argument.name)


def procedure(function):
    results = function.passed_results
    called = ", ".join(["comm", *map(passed, function.arguments), *(r.name for r in results), "options", "o"])
    body = ["type(c_outcome) :: o"]
    body += [f"if (present({r.name})) {r.name} = 0" if r.kind == "whole" else f"{r.name} = 0" for r in results]
    body += [f"call conclude(c_{function.name}({called}), o, report, err)"]
    lines = subroutine(f"dap_linalg_{function.name}", procedure_types(function), body)
    for variant in variants(function):
        lines += ["", *variant]
    return lines


def variants(function):
    """Procedures with real factors: generic resolution wants one to be required."""
    factors, types = [a.name for a in function.of("factor")], procedure_types(function)
    if factors:
        first, others = factors[0], factors[1:]
        real = {**types, first: REAL, **{o: REAL + ", optional" for o in others}}
        body = [f"complex(real64), allocatable :: {o}_or_none" for o in others]
        body += [f"if (present({o})) {o}_or_none = {o}" for o in others]
        given = [f"cmplx({n}, kind=real64)" if n == first else f"{n}_or_none" if n in others else n for n in types]
        body += [f"call dap_linalg_{function.name}({', '.join(given)})"]
        yield ["  !> With a real " + " and ".join(factors) + ".", *subroutine(f"{function.name}_{first}", real, body)]
    for other in factors[1:]:
        names = [n for n in types if n not in factors and n not in LAST] + ["options", other, "report", "err"]
        real = {n: REAL if n == other else types[n] for n in names}
        given = [f"{other}=cmplx({other}, kind=real64)" if n == other else f"{n}={n}" if n in LAST else n for n in names]
        body = [f"call dap_linalg_{function.name}({', '.join(given)})"]
        yield [f"  !> With only a real {other}.", *subroutine(f"{function.name}_{other}", real, body)]


def declarations(functions):
    lines = wrapped("  public :: " + ", ".join(f"dap_linalg_{f.name}" for f in functions))
    for function in functions:
        factors = [a.name for a in function.of("factor")]
        if factors:
            name = f"dap_linalg_{function.name}"
            lines += ["", "  !> Factors are complex, or one of them is real.", f"  interface {name}"]
            names = [name, *(f"{function.name}_{f}" for f in factors)]
            lines += [*wrapped("    procedure " + ", ".join(names)), "  end interface"]
    return [*lines, "", "  interface", *(line for f in functions for line in interface(f)), "  end interface"]


def fortran(table, source):
    """The lines of a module."""
    text = source.read_text(encoding="utf-8")
    functions = [table[name] for name in re.findall(r"^ *!@procedure (\w+)$", text, re.M)]
    lines = []
    for line in text.splitlines():
        directive = line.strip().split()
        if directive[:1] == ["!@procedure"]:
            lines += procedure(table[directive[1]])
        elif directive == ["!@declarations"]:
            lines += declarations(functions)
        else:
            lines += [line]
    return lines


def main(table, what, out, *source):
    makers = {"python": python, "shims": shims, "rows": rows, "fortran": fortran}
    lines = makers[what](read_table(Path(table)), *map(Path, source))
    Path(out).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
