"""Reads the signatures of the compiled classes and functions, which only their stubs have."""
import ast


def signature(node):
    arguments = ast.unparse(node.args).removeprefix("self").removeprefix(", ")
    return f"({arguments})", ast.unparse(node.returns) if node.returns else None


def signatures(stub):
    """By name, as Layout.coords: arguments and what is returned."""
    found = {}
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = signature(node)
        elif isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{f.name}": signature(f) for f in node.body if isinstance(f, ast.FunctionDef)}
    return found
