"""Kubernetes' admission chain, offline.

>>> report = kadmit.run(["manifests"], cluster=["cluster"])      # doctest: +SKIP
>>> assert report.admitted, report                               # doctest: +SKIP

The module runs the program `kadmit` and reads its JSON report, which docs/report.md describes.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Union

from ._program import find_program

__all__ = ["InputError", "Report", "Result", "find_program", "run"]

Path = Union[str, "os.PathLike[str]"]


class InputError(Exception):
    """The input or the configuration is wrong, or nothing was evaluated. The text is the program's."""


@dataclass(frozen=True)
class Result:
    """What the server answers to one request."""

    data: Mapping[str, Any] = field(repr=False)

    @property
    def allowed(self) -> bool:
        """Whether the request is admitted."""
        return bool(self.data.get("allowed"))

    @property
    def kind(self) -> str:
        """The kind of the object, such as Pod."""
        return str(self.data["request"]["kind"]["kind"])

    @property
    def namespace(self) -> str:
        """The namespace of the object, or nothing."""
        return str(self.data["request"].get("namespace", ""))

    @property
    def name(self) -> str:
        """The name of the object."""
        return str(self.data["request"].get("name", ""))

    @property
    def code(self) -> int:
        """The status code of a refusal, or 0."""
        return int(self.data.get("status", {}).get("code", 0))

    @property
    def message(self) -> str:
        """The server's refusal, or nothing."""
        return str(self.data.get("status", {}).get("message", ""))

    @property
    def denied_by(self) -> str | None:
        """The plugin that refused; nothing if the server did so itself, or admitted the request."""
        plugins = [step["plugin"] for step in self.data.get("steps", []) if "error" in step]
        return plugins[-1] if plugins else None

    @property
    def warnings(self) -> list[str]:
        """The warnings of the answer."""
        return list(self.data.get("warnings", []))

    @property
    def object(self) -> Mapping[str, Any] | None:
        """The object as the server stores it; nothing if the request is denied."""
        return self.data.get("object")

    @property
    def replicas(self) -> int:
        """The number of equal objects that a controller requests; 1 for a manifest."""
        return int(self.data.get("cause", {}).get("replicas", 1))

    @property
    def source(self) -> str:
        """The file and line of the manifest, such as `web.yaml:3`."""
        source = self.data.get("source")
        return f"{source['file']}:{source['line']}" if source else ""

    def __str__(self) -> str:
        name = f"{self.namespace}/{self.name}" if self.namespace else self.name
        verdict = "admitted" if self.allowed else f"denied: {self.message}"
        place = f"{self.source}: " if self.source else ""
        return f"{place}{self.kind} {name} {verdict}"


@dataclass(frozen=True)
class Report:
    """What the server answers to all requests."""

    data: Mapping[str, Any] = field(repr=False)
    exit_status: int
    messages: str = field(repr=False)
    """Notes about the input, as the program prints them."""

    @property
    def admitted(self) -> bool:
        """Whether every request is admitted, or its refusal is accepted by a skip or a baseline."""
        return self.exit_status == 0

    @property
    def results(self) -> list[Result]:
        """Every request in order, those of controllers included."""
        return list(self)

    @property
    def denied(self) -> list[Result]:
        """The requests that are denied."""
        return [result for result in self if not result.allowed]

    def __iter__(self) -> Iterator[Result]:
        return (Result(result) for result in self.data["results"])

    def __str__(self) -> str:
        return "\n".join(map(str, self.denied)) or "everything is admitted"


def run(
    paths: Path | Iterable[Path],
    *,
    cluster: Path | Iterable[Path] = (),
    flags: Iterable[str] = (),
    stdin: str | None = None,
    cwd: Path | None = None,
) -> Report:
    """Evaluates manifests as `kadmit run` does.

    `paths` are files, directories and patterns, or `-` for the text `stdin`; `cluster` has the objects that exist.
    `flags` are further flags of `kadmit run`, such as `--enforce=restricted`. A refusal is no exception: it is in the
    report. Wrong input raises `InputError`.
    """
    command = [find_program(), "run", "--output=json", "--color=never"]
    command += [f"--cluster={path}" for path in _several(cluster)]
    command += [*flags, "--", *_several(paths)]
    ended = subprocess.run(command, input=stdin, capture_output=True, text=True, encoding="utf-8", cwd=cwd, check=False)
    if ended.returncode not in (0, 1):
        raise InputError(ended.stderr.strip() or f"kadmit ended with status {ended.returncode}")
    return Report(json.loads(ended.stdout), ended.returncode, ended.stderr)


def _several(paths: Path | Iterable[Path]) -> list[str]:
    if isinstance(paths, (str, os.PathLike)):
        return [os.fspath(paths)]
    return [os.fspath(path) for path in paths]
