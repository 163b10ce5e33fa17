"""What a function's names are: the questions that the front end asks, of a live function or a text.

The answers of a live function are those of `name_resolution.py`, those of a text alone are in
`textual_resolution.py`.
"""

from __future__ import annotations

import ast
from typing import Protocol

from adjointgen.frontend.domain.abstract_values import Abstract, Module, Outside


class Resolver(Protocol):
    """Answers what a name of the module is, and what a member of a module is."""

    @property
    def identity(self) -> object:
        """What tells apart two functions of one text: where their names are looked up."""

    def find(self, name: str) -> Abstract:
        """What a name is; `ABSENT` where there is no such name."""

    def member(self, module: Module, name: str) -> Abstract:
        """What `module.name` is."""

    def variable(self, name: str) -> Outside | None:
        """A number of the module that its functions change."""

    def default(self, name: str) -> Abstract | None:
        """The default of a parameter, where it is a constant that is known."""

    def definition(self, name: str) -> ast.expr | None:
        """The expression that makes an object of the module, where only the text is known."""

    def imported(self, name: str) -> str:
        """The line that imports a name of the module, where only the text is known."""

    def function_line(self, name: str) -> str:
        """The line by which a written program imports a function of the module."""

    def reaches(self, name: str) -> bool:
        """Whether the text of a program may have this name; one that is written is checked."""
