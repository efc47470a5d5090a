"""Small changes to a file of Python, each of which some test should notice.

What a message says, the number from which it counts, annotations, decorators and docstrings are left alone:
they change no verdict. So are the numbers in constants of a module, which say where the program gives up.
"""

import ast
import copy
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, FunctionType

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_CALLS = {"all": "any", "any": "all", "min": "max", "max": "min"}


@dataclass(frozen=True)
class Mutant:
    """One changed node of a tree, and how the change reads."""

    line: int
    place: str
    key: str
    tree: ast.Module


def mutants(file: str) -> Iterator[Mutant]:
    """All mutants of a file, from top to bottom; `key` tells them apart without line numbers."""
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    seen: dict[str, int] = {}
    for place, parent, field, index, node in _nodes(tree, "module"):
        for changed in _changes(node):
            key = f"{place}: {_short(node)} -> {_short(changed)}"
            seen[key] = seen.get(key, 0) + 1
            _put(parent, field, index, changed)
            number = f" #{seen[key]}" if seen[key] > 1 else ""
            yield Mutant(node.lineno, place, key + number, copy.deepcopy(tree))
            _put(parent, field, index, node)


def _put(parent: ast.AST, field: str, index: int | None, node: ast.AST) -> None:
    if index is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[index] = node


def _short(node: ast.AST) -> str:
    text = "nothing" if isinstance(node, ast.Pass) else " ".join(ast.unparse(node).split())
    return text if len(text) <= 200 else f"{text[:197]}..."


def _nodes(node: ast.AST, place: str) -> Iterator[tuple[str, ast.AST, str, int | None, ast.expr | ast.stmt]]:
    """What may be changed below a node, with the function it stands in, and where it hangs."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        place = node.name if place == "module" else f"{place}.{node.name}"
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for index, child in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(child, ast.JoinedStr | ast.Raise | ast.Import | ast.ImportFrom) or not isinstance(
                child, ast.AST
            ):
                continue
            if isinstance(child, ast.keyword) and child.arg in ("strict", "start"):
                continue
            if isinstance(child, ast.Constant) and place == "module":
                continue
            if isinstance(child, ast.expr | ast.stmt):
                yield place, node, field, index if isinstance(value, list) else None, child
            yield from _nodes(child, place)


def _changes(node: ast.expr | ast.stmt) -> Iterator[ast.expr | ast.stmt]:
    match node:
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            for k, op in enumerate(ops):
                for other in _COMPARISONS[type(op)]:
                    yield ast.Compare(left, [*ops[:k], other(), *ops[k + 1 :]], comparators)
        case ast.BoolOp(op=op, values=values):
            for k in range(len(values)):
                rest = values[:k] + values[k + 1 :]
                yield ast.BoolOp(op, rest) if len(rest) > 1 else rest[0]
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield operand
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            yield ast.BinOp(left, _OPERATORS[type(op)](), right)
        case ast.AugAssign(target=target, op=op, value=value) if type(op) in _OPERATORS:
            yield ast.AugAssign(target, _OPERATORS[type(op)](), value)
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield ast.Constant(value + 1)
            yield ast.Constant(value - 1)
        case ast.Call(func=ast.Name(id=name) as func, args=args, keywords=keywords) if name in _CALLS:
            yield ast.Call(ast.Name(_CALLS[name], func.ctx), args, keywords)
        case ast.If(test=test, body=body, orelse=orelse):
            if isinstance(body[-1], ast.Raise | ast.Return | ast.Continue) and not orelse:
                yield ast.Pass()
            if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp):
                yield ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield body
            yield orelse


class _Loader(SourceFileLoader):
    """Loads a changed tree in place of the file."""

    def __init__(self, name: str, path: str, code: CodeType) -> None:
        super().__init__(name, path)
        self._code = code

    def get_code(self, fullname: str) -> CodeType:
        return self._code


class _Finder(MetaPathFinder):
    def __init__(self, name: str, loader: Loader, path: str) -> None:
        self._name, self._loader, self._path = name, loader, path

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        return spec_from_file_location(fullname, self._path, loader=self._loader)


def module_of(file: str) -> str:
    """The name under which a file is imported."""
    return ".".join(Path(file).with_suffix("").parts)


def install(file: str, mutant: Mutant) -> bool:
    """Put the mutant in the place of the file's module, in this process.

    A changed function gets its new code where it is, which is quick (True); else all of ours is to be
    imported anew, and the tests with it.
    """
    name = module_of(file)
    code = compile(ast.fix_missing_locations(mutant.tree), file, "exec")
    found: object = sys.modules[name]
    for part in mutant.place.split("."):
        members = found.__dict__ if isinstance(found, type) else vars(found)
        code = next((c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == part), code)
        found = _plain(members.get(part))
        if isinstance(found, FunctionType):
            if found.__code__ != code:
                found.__code__ = code
                return True
            break
        if not isinstance(found, type):
            break
    here = str(Path.cwd())
    ours = [
        one for one, module in sys.modules.items() if (getattr(module, "__file__", "") or "").startswith(here)
    ]
    for one in ours:
        del sys.modules[one]
    whole = compile(mutant.tree, file, "exec")
    sys.meta_path.insert(0, _Finder(name, _Loader(name, file, whole), file))
    return False


def _plain(member: object) -> object:
    """The function below a decorator."""
    for inner in ("__func__", "fget", "__wrapped__"):
        member = getattr(member, inner, member)
    return member
