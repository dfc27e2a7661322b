"""A run as JUnit XML, which CI servers show: a suite a type, a test a case."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from rag.errors import InputError
from rag.evaluate.run import Run
from rag.evaluate.score import CaseScore

_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 has no way to write."""


def write_junit(run: Run, path: Path, fell: Iterable[str] = ()) -> None:
    """Write the file. `fell` are gates that did not hold, each a failure; raises InputError where it cannot be written.

    A case fails where a yes/no metric says no or the answer breaks the contract; an answer that ended in an error, or
    is missing, is an error. Everything else about a case is a number, and no test.
    """
    root = ET.Element("testsuites", name="footnote")
    if gates := list(fell):
        suite = ET.SubElement(root, "testsuite", name="gates", tests=str(len(gates)), failures=str(len(gates)))
        for gate in gates:
            ET.SubElement(_test(suite, "gates", gate), "failure", message=_clean(gate))
    for kind in dict.fromkeys(score.type for score in run.scores):
        _suite(root, run, kind)
    ET.indent(root)
    try:
        ET.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.", "Choose another name.") from None


def _suite(root: ET.Element, run: Run, kind: str) -> None:
    suite = ET.SubElement(root, "testsuite", name=_clean(kind))
    failures = errors = 0
    for case, score in zip(run.cases, run.scores, strict=True):
        if score.type != kind:
            continue
        answer = run.answers.get(case["id"])
        test = _test(suite, kind, f"{case['id']}: {case['question']}", answer)
        if answer is None or answer["status"] == "error":
            errors += 1
            reason = "no answer" if answer is None else answer.get("detail") or answer.get("reason") or "error"
            ET.SubElement(test, "error", message=_clean(str(reason)))
        elif problems := _problems(score):
            failures += 1
            failure = ET.SubElement(test, "failure", message=_clean("; ".join(problems)))
            failure.text = _clean(str(answer.get("answer") or ""))
    suite.attrib |= {"tests": str(len(suite)), "failures": str(failures), "errors": str(errors)}


def _test(suite: ET.Element, kind: str, name: str, answer: Mapping[str, Any] | None = None) -> ET.Element:
    test = ET.SubElement(suite, "testcase", classname=_clean(f"footnote.{kind}"), name=_clean(name))
    seconds = ((answer or {}).get("seconds") or {}).get("total")
    if seconds is not None:
        test.set("time", f"{seconds:.3f}")
    return test


def _problems(score: CaseScore) -> list[str]:
    said = {"answered": "refused although it can be answered", "refused": "answered although nothing states it"}
    return [text for name, text in said.items() if score.values.get(name) == 0] + list(score.violations)


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
