"""Every example of the documentation runs, everything public is documented, and the type stubs name the same things."""

import __future__

import ast
import doctest
import inspect
from pathlib import Path

import pytest

import fanorona


def documented():
    yield "fanorona", fanorona
    for name in fanorona.__all__:
        thing = getattr(fanorona, name)
        if not isinstance(thing, int):
            yield name, thing
        if inspect.isclass(thing) and not issubclass(thing, Exception):
            for member, value in vars(thing).items():
                if not member.startswith("_"):
                    yield f"{name}.{member}", value


THINGS = dict(documented())


@pytest.mark.parametrize("name", THINGS)
def test_is_documented_and_its_examples_run(name, database, tmp_path):
    text = inspect.getdoc(THINGS[name])
    assert text, f"{name} has no documentation"
    names = {key: getattr(fanorona, key) for key in fanorona.__all__}
    names.update(database=str(database), folder=str(tmp_path), tables=fanorona.Tables(database))
    names["certificate"] = fanorona.Certificate.read(database / "certificates" / "3x3.proof")
    test = doctest.DocTestParser().get_doctest(text, names, name, None, None)
    report = []
    failed, _ = doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert failed == 0, "".join(report)


def test_the_examples_are_not_lost():
    assert sum(">>>" in (inspect.getdoc(thing) or "") for thing in THINGS.values()) >= 20


STUBS = (Path(fanorona.__file__).parent / "__init__.pyi").read_text(encoding="utf-8")


def test_the_stubs_have_every_key(database):
    stubs = {}
    exec(compile(STUBS, "stubs", "exec", flags=__future__.annotations.compiler_flag), stubs)
    tables, position, start = fanorona.Tables(database), fanorona.Position("1B1/3/WW1 b"), fanorona.Board("3x3").start()
    answer, line = tables.answer(position), tables.line(position)
    solved = fanorona.solve(start, database, stones=4, moves=True)
    results = {
        "ValueAnswer": tables.look_up(position),
        "Answer": answer,
        "MoveAnswer": answer["moves"][0],
        "Line": line,
        "LineMove": line["line"][0],
        "SearchSummary": tables.search(position),
        "Solved": solved,
        "Closure": solved["closure"],
        "Questions": solved["questions"],
        "Question": solved["questions"]["white_wins"],
        "MoveValue": solved["moves"][0],
        "Reply": fanorona.Engine().reply(fanorona.Game("3x3"), depth=1),
        "GameResult": fanorona.Game(position=position, moves=["b3-b2A-c3W"]).result,
    }
    for name, result in results.items():
        stub = stubs[name]
        assert set(result) == stub.__required_keys__ | stub.__optional_keys__, name
    assert set(fanorona.solve(start, database, stones=4)) == stubs["Solved"].__required_keys__


def test_the_stubs_have_every_name_and_parameter():
    tree = ast.parse(STUBS)

    def parameters(function):
        arguments = function.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        return [argument.arg for argument in every if argument.arg not in ("self", "cls")]

    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = parameters(node)
        if isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.FunctionDef):
                    name = node.name if part.name == "__init__" else f"{node.name}.{part.name}"
                    found[name] = parameters(part)
    for name, thing in THINGS.items():
        if name == "fanorona" or (inspect.isclass(thing) and (name not in found or issubclass(thing, Exception))):
            continue
        assert name in found, f"the stubs lack {name}"
        if callable(thing) or isinstance(thing, staticmethod):
            signature = inspect.signature(getattr(thing, "__func__", thing))
            assert [key for key in signature.parameters if key != "self"] == found[name], name
    public = {name for name in found if not name.split(".")[-1].startswith("_")}
    assert public <= set(THINGS), public - set(THINGS)
