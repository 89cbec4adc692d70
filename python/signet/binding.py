"""Binds the arguments of a call to parameters, with the rules and sentences of docs/reference/function-types.md."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from signet import errors, names
from signet.types import FunctionType, Parameter

MAX_SIGNATURE = 120  # bytes of a signature in a message

_POSITIONAL_ONLY, _EITHER, _VAR_POSITIONAL, _KEYWORD_ONLY, _VAR_KEYWORD = (
    inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.VAR_POSITIONAL,
    inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)


class Binder:
    """Binds calls of one function. `signature` is its text, with its name."""

    def __init__(self, type_: FunctionType, signature: str = "") -> None:
        self._type = type_
        self._signature = signature
        self._parameters: list[Any] = list(type_.parameters.values())
        self._positional: list[Any] = []
        for parameter in self._parameters:
            if parameter.kind > _EITHER:
                break
            self._positional.append(parameter)
        count = len(self._positional)
        self._variadic = self._parameters[count] if len(self._parameters) > count else None
        if self._variadic is not None and self._variadic.kind != _VAR_POSITIONAL:
            self._variadic = None
        self._has_var_keyword = bool(self._parameters) and self._parameters[-1].kind == _VAR_KEYWORD
        # The parameters of calls without keywords, by the number of arguments.
        self._known: dict[int, list[Parameter | None]] = {}
        self._by_name = {p.name: p for p in self._parameters if p.kind in (_EITHER, _KEYWORD_ONLY)}

    def bind(self, num_positional: int, keywords: Sequence[str]) -> tuple[list[Parameter | None], list[Parameter | None]]:
        """The parameter of each positional argument and of each keyword; None for those that are variadic.

        Raises BindingError for the first fault, as the server would.
        """
        if not keywords and num_positional in self._known:
            return self._known[num_positional], []
        count = len(self._positional)
        if num_positional > count and self._variadic is None:
            at_most = f"at most {count}" if count else "no"
            by_name = next((p.name for p in self._parameters if p.kind == _KEYWORD_ONLY and p.name not in keywords), None)
            hint = f"; `{by_name}` is passed by name: `{by_name}=...`" if by_name else ""
            fault = "TOO_MANY_POSITIONAL", f"expected {at_most} positional argument{'' if count == 1 else 's'}, found {num_positional}{hint}"
            self._check_keywords(min(num_positional, count), keywords)
            raise self._fault("", *fault)
        self._check_keywords(min(num_positional, count), keywords)
        for parameter in self._parameters[num_positional:] if num_positional < count else self._parameters[count:]:
            kind = parameter.kind
            if kind in (_VAR_POSITIONAL, _VAR_KEYWORD):
                continue
            name = parameter.name
            if kind == _POSITIONAL_ONLY:
                if not self._has_var_keyword and name in keywords:
                    raise self._fault(name, "POSITIONAL_ONLY_AS_KEYWORD",
                                      f"argument `{name}` is given by name; it is taken by position only")
            elif name in keywords:
                continue
            if parameter.default is inspect.Parameter.empty:
                raise self._missing(name, keywords)
        bound: list[Parameter | None] = []
        for keyword in keywords:
            found = self._by_name.get(keyword)
            if found is None and not self._has_var_keyword:
                raise self._unexpected(keyword, num_positional, keywords)
            bound.append(found)
        positional: list[Parameter | None] = list(self._positional[:num_positional])
        positional.extend([None] * (num_positional - len(positional)))
        if not keywords and num_positional <= count:
            self._known[num_positional] = positional
        return positional, bound

    def _check_keywords(self, num_bound: int, keywords: Sequence[str]) -> None:
        if not keywords:
            return
        for parameter in self._positional[:num_bound]:
            if parameter.kind == _EITHER and parameter.name in keywords:
                raise self._fault(parameter.name, "MULTIPLE_VALUES",
                                  f"argument `{parameter.name}` is given by position and by name")

    def _missing(self, name: str, keywords: Sequence[str]) -> errors.Error:
        known = {parameter.name for parameter in self._parameters}
        unknown = [] if self._has_var_keyword else [keyword for keyword in keywords if keyword not in known]
        hint = f", and no parameter {names.list_names(unknown)}" if unknown else ""
        return self._fault(name, "MISSING_REQUIRED", f"no argument for `{name}`{hint}")

    def _unexpected(self, keyword: str, num_positional: int, keywords: Sequence[str]) -> errors.Error:
        taken = {parameter.name for parameter in self._positional[:num_positional]}
        left = [name for name in self._by_name if name not in taken and name not in keywords]
        nearest = names.nearest(keyword, left)
        hint = f"; the nearest is `{nearest}`" if nearest is not None else ""
        return self._fault(keyword, "UNEXPECTED_KEYWORD", f"no parameter `{names.printable(keyword)}`{hint}")

    def _fault(self, field: str, reason: str, sentence: str) -> errors.Error:
        message = f"{sentence}, in `{self._relevant_signature(field)}`"
        return errors.make("INVALID_ARGUMENT", message, reason=reason, field=names.printable(field))

    def _relevant_signature(self, at_fault: str) -> str:
        """The signature, or if it is long, only the type of the parameter at fault."""
        text = self._signature or str(self._type)
        if len(text.encode("utf-8", "replace")) <= MAX_SIGNATURE:
            return text
        parameters = []
        for parameter in self._parameters:
            annotation = parameter.annotation
            if parameter.name != at_fault or annotation is inspect.Parameter.empty:
                annotation = inspect.Parameter.empty
            default = ... if parameter.default is not inspect.Parameter.empty else inspect.Parameter.empty
            parameters.append(parameter.replace(annotation=annotation, default=default))
        shown = text[: text.find("(")] + FunctionType(parameters).to_text("", as_written=False)
        if len(shown) <= 2 * MAX_SIGNATURE:
            return shown
        cut = max(shown.rfind(" ", 0, 2 * MAX_SIGNATURE + 1), shown.rfind(",", 0, 2 * MAX_SIGNATURE + 1))
        return shown[:cut] + ".."
