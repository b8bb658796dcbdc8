"""Serializers made from page objects, so that the OpenAPI schema says exactly what `encoding` writes."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any

from drf_spectacular.openapi import AutoSchema
from rest_framework import serializers

from leaderboard.encoding import data_fields

_PLAIN = {
    str: serializers.CharField,
    int: serializers.IntegerField,
    float: serializers.FloatField,
    bool: serializers.BooleanField,
    datetime: serializers.DateTimeField,
}


@cache
def serializer_of(kind: Any) -> type[serializers.Serializer[Any]]:
    """One serializer class for each dataclass."""
    hints = typing.get_type_hints(kind)
    fields = {field.name: _field(hints[field.name]) for field in data_fields(kind)}
    return type(kind.__name__, (serializers.Serializer,), fields)


def _field(hint: Any, **options: Any) -> serializers.Field[Any, Any, Any, Any]:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        plain = [one for one in arguments if one is not types.NoneType]
        return _field(plain[0] if len(plain) == 1 else float, allow_null=len(plain) < len(arguments), **options)
    if origin is typing.Literal:
        return _field(type(arguments[0]), **options)
    if _is_dataclass(hint):
        return serializer_of(hint)(**options)
    if origin is tuple and arguments[1:] == (Ellipsis,) and _is_dataclass(arguments[0]):
        return serializer_of(arguments[0])(many=True, **options)
    if origin in (tuple, list):
        return serializers.ListField(child=_field(arguments[0]), **options)
    if origin in (dict, Mapping):
        child = None if arguments[1] is Any else _field(arguments[1])
        return serializers.DictField(child=child, **options) if child else serializers.DictField(**options)
    return _PLAIN[hint](**options)


def _is_dataclass(hint: Any) -> bool:
    return dataclasses.is_dataclass(hint)


class PageSchema(AutoSchema):
    """The schema of an endpoint is the serializer of its page."""

    def get_response_serializers(self) -> Any:
        return serializer_of(self.view.route.page)

    def get_operation_id(self) -> str:
        return str(self.view.route.name)

    def get_description(self) -> str:
        return f"{self.view.route.summary}."

    def get_tags(self) -> list[str]:
        return ["pages"]
