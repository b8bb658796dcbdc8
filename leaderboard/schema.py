"""OpenAPI serializers made from page objects, so that the schema matches what `encoding` writes."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from leaderboard.encoding import data_names
from leaderboard.queries.collection import MOST_ID, NUMBERS, Collection
from leaderboard.query_values import MOST_VALUE

ROWS, MOST_ROWS = 100, 1000  # of one page of a collection: the default and the largest limit
PAGING = ("cursor", "limit")
REFUSALS = (400, 404, 406, 429)
FILTER_TYPES: dict[str, Any] = {  # of filters that are not text
    **{key: {"type": "integer", "minimum": 0, "maximum": MOST_ID} for key in NUMBERS},
    **{key: {"type": "boolean"} for key in ("may_rank", "is_current")},
    "since": {"type": "string", "format": "date"},
}
_PLAIN = {
    str: serializers.CharField,
    int: serializers.IntegerField,
    float: serializers.FloatField,
    bool: serializers.BooleanField,
    datetime: serializers.DateTimeField,
}
_ROW_FIELDS = {
    "text": serializers.CharField,
    "integer": serializers.IntegerField,
    "number": serializers.FloatField,
    "boolean": serializers.BooleanField,
    "datetime": serializers.DateTimeField,
    "json": serializers.JSONField,
}


class ProblemSerializer(serializers.Serializer[Any]):
    """Problem details (RFC 9457): the reason for the error in one sentence."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()


@cache
def serializer_of(kind: Any) -> type[serializers.Serializer[Any]]:
    """The serializer class of a dataclass or named tuple, named like it."""
    hints = typing.get_type_hints(kind)
    fields = {name: _field(hints[name]) for name in data_names(kind) or ()}
    return type(kind.__name__, (serializers.Serializer,), fields)


def _field(hint: Any, **options: Any) -> serializers.Field[Any, Any, Any, Any]:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        plain = [one for one in arguments if one is not types.NoneType]
        return _field(plain[0] if len(plain) == 1 else float, allow_null=len(plain) < len(arguments), **options)
    if origin is typing.Literal:
        return _field(type(arguments[0]), **options)
    if isinstance(hint, type) and data_names(hint) is not None:
        return serializer_of(hint)(**options)
    if origin in (tuple, list):
        item = arguments[0]
        if isinstance(item, type) and data_names(item) is not None:
            return serializer_of(item)(many=True, **options)
        return serializers.ListField(child=_field(item), **options)
    if origin in (dict, Mapping):
        child = None if arguments[1] is Any else _field(arguments[1])
        return serializers.DictField(child=child, **options) if child else serializers.DictField(**options)
    return _PLAIN[hint](**options)


class DataSchema(AutoSchema):
    """The part of the schema that all addresses of data share: errors are problem details."""

    def get_response_serializers(self) -> Any:
        return {200: self.get_success_serializer(), **dict.fromkeys(REFUSALS, ProblemSerializer)}

    def get_success_serializer(self) -> Any:
        raise NotImplementedError

    def _get_response_for_code(
        self, serializer: Any, status_code: Any, media_types: Any = None, direction: Any = "response"
    ) -> Any:
        kind = ["application/problem+json"] if serializer is ProblemSerializer else media_types
        return super()._get_response_for_code(  # type: ignore[no-untyped-call]
            serializer, status_code, kind, direction
        )


class PageSchema(DataSchema):
    """The schema of a page's data."""

    def get_success_serializer(self) -> Any:
        return serializer_of(self.view.route.page)

    def get_override_parameters(self) -> list[Any]:
        text = {"type": "string", "maxLength": MOST_VALUE}
        return [OpenApiParameter(name, text, OpenApiParameter.QUERY) for name in self.view.route.names]

    def get_operation_id(self) -> str:
        return str(self.view.route.name)

    def get_description(self) -> str:
        return f"{self.view.route.summary}."

    def get_tags(self) -> list[str]:
        return ["pages"]


class RowsSchema(DataSchema):
    """The schema of a collection's rows."""

    def get_success_serializer(self) -> Any:
        return rows_serializer_of(self.view.collection)

    def get_override_parameters(self) -> list[Any]:
        filters = [
            OpenApiParameter(name, FILTER_TYPES.get(name, {"type": "string"}), OpenApiParameter.QUERY)
            for name in self.view.collection.filters
        ]
        most = {"type": "integer", "minimum": 1, "maximum": MOST_ROWS, "default": ROWS}
        after = {"type": "integer", "minimum": 0, "maximum": MOST_ID}
        return [
            *filters,
            OpenApiParameter("cursor", after, OpenApiParameter.QUERY, description="Rows after this id."),
            OpenApiParameter("limit", most, OpenApiParameter.QUERY, description="Rows per page."),
        ]

    def get_operation_id(self) -> str:
        return f"rows_{self.view.collection.name}"

    def get_description(self) -> str:
        return str(self.view.collection.about)

    def get_tags(self) -> list[str]:
        return ["rows"]


def rows_serializer_of(collection: Collection) -> type[serializers.Serializer[Any]]:
    fields = {one.name: _ROW_FIELDS[one.kind](allow_null=True, help_text=one.about) for one in collection.fields}
    row = type(f"{collection.name.title()}Row", (serializers.Serializer,), fields)
    page = {
        "rows": row(many=True),
        "next": serializers.CharField(allow_null=True, help_text="Address of the next page."),
    }
    return type(f"{collection.name.title()}Rows", (serializers.Serializer,), page)
