"""Converts the plain text of comments in Fortran modules to reStructuredText.

Comments consist of paragraphs, lists of "- " or of letters in quotes, tables and code (both indented), `names`,
functions such as dap_name(), and lines that begin with "Errors:", "Source:" and similar words. Each such line is a
paragraph of its own."""
import re

ITEM = re.compile(r"- |(?:'[^']*'|0): +")
LABEL = re.compile(r"^(Errors?|Sources?|Collective|Not collective)\b[^.:]{0,60}[:.]")
QUOTED = re.compile(r"`([^`]+)`|\b((?:dap|DAP)_[\w*]+\(\))|\b(DAP_\w+|dap_\w+\b(?!_|\()\b)")


def escape(text):
    """Text in which no character is markup."""
    text = re.sub(r"([\\*|`])", r"\\\1", text)
    return re.sub(r"_(?!\w)", r"\\_", text)


def inline(text, functions=()):
    """One paragraph. functions: whose names become links."""
    parts, at = [], 0
    for found in QUOTED.finditer(text):
        parts.append(escape(text[at : found.start()]))
        at = found.end()
        name = found[1] or found[2] or found[3]
        if name.removesuffix("()") in functions and name.endswith("()"):
            markup = f":c:func:`{name.removesuffix('()')}`"
        else:
            markup = f"``{name}``"
        parts.append(rf"\ {markup}\ ")
    return "".join(parts) + escape(text[at:])


def blocks(lines):
    """(kind, lines) of each paragraph, item of a list, and literal text."""
    kind, block = None, []
    for number, line in enumerate(lines):
        indented = line.startswith("  ")
        hangs = re.match(r"^\S+( \S+)?  +\S", line) and number + 1 < len(lines) and lines[number + 1].startswith("   ")
        if not line.strip():
            new = kind if kind == "literal" and any(l.startswith("  ") for l in lines[number + 1 : number + 2]) else None
        elif ITEM.match(line):
            new = "item"
        elif kind == "item" and indented:
            new = "item"
        elif indented or hangs:
            new = "literal"
        else:
            new = "text"
        if new != kind or ITEM.match(line) or (new == "text" and LABEL.match(line)):
            if block:
                yield kind, block
            block = []
        kind = new
        if new:
            block.append(line)
    if block:
        yield kind, block


def dedent(lines):
    width = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return [line[width:] for line in lines]


def as_rst(lines, functions=()):
    out = []
    for kind, block in blocks(lines):
        if kind == "literal":
            code = any(line.rstrip().endswith((");", "{", "; }")) for line in block)
            out += ["", f".. code-block:: {'c' if code else 'text'}", "", *("   " + line for line in dedent(block)), ""]
            continue
        text = " ".join(line.strip() for line in block)
        if kind == "item":
            out += ["- " + inline(text.removeprefix("- "), functions), ""]
            continue
        label = LABEL.match(text)
        if label and label[0].endswith(":"):
            out += ["", f"**{label[0]}** {inline(text[label.end():], functions)}", ""]
        else:
            out += ["", inline(text, functions), ""]
    return out
