"""Bodies for a type, drawn from its declaration alone: good ones, and good ones broken somewhere at any depth."""

import copy
import math
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st
from msgspec import inspect

Json = Any

SIMPLE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 12),
    st.sampled_from([2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64, -(2**63) - 1, 10**30, 10**310]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, -0.0, 1.0, 2.5, 1e300]),
    st.text(max_size=6),
    st.sampled_from(["", "a", "7", "1/2", "1/0", "x" * 50, "true", "a1", "\u00e9\U0001f3b2"]),
)

ANY_JSON: st.SearchStrategy[Json] = st.recursive(
    SIMPLE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


def bodies(wanted: Any) -> st.SearchStrategy[Json]:
    """Draw values that the type takes, as JSON's own types."""
    return _of(inspect.type_info(wanted), {})


@st.composite
def broken_bodies(draw: st.DrawFn, wanted: Any) -> Json:
    """Draw a good value, changed in one to three places; some changes happen to leave it good."""
    body = draw(bodies(wanted))
    for _ in range(draw(st.integers(1, 3))):
        body = _changed(draw, body)
    return body


def _of(info: inspect.Type, structs: dict[Any, st.SearchStrategy[Json]]) -> st.SearchStrategy[Json]:
    match info:
        case inspect.Metadata():
            return _of(info.type, structs)
        case inspect.AnyType():
            return ANY_JSON
        case inspect.NoneType():
            return st.none()
        case inspect.BoolType():
            return st.booleans()
        case inspect.IntType():
            return _whole(info)
        case inspect.FloatType():
            return _real(info)
        case inspect.StrType():
            return _text(info)
        case inspect.LiteralType():
            return st.sampled_from(info.values)
        case inspect.CustomType() if info.cls is Fraction:
            return st.fractions(max_denominator=10**6).map(str) | st.sampled_from(["2/4", "-0", "0/7"])
        case inspect.VarTupleType():
            low = info.min_length or 0
            return st.lists(_of(info.item_type, structs), min_size=low, max_size=_few(low, info.max_length))
        case inspect.TupleType():
            return st.tuples(*(_of(item, structs) for item in info.item_types)).map(list)
        case inspect.DictType():
            low = info.min_length or 0
            names, values = _of(info.key_type, structs), _of(info.value_type, structs)
            return st.dictionaries(names, values, min_size=low, max_size=_few(low, info.max_length))
        case inspect.UnionType():
            return st.one_of([_of(member, structs) for member in info.types])
        case inspect.StructType():
            if info.cls not in structs:
                structs[info.cls] = st.deferred(lambda: _struct(info, structs))
            return structs[info.cls]
    raise TypeError(f"no strategy for {info}")


def _struct(info: inspect.StructType, structs: dict[Any, st.SearchStrategy[Json]]) -> st.SearchStrategy[Json]:
    required = {field.encode_name: _of(field.type, structs) for field in info.fields if field.required}
    optional = {field.encode_name: _of(field.type, structs) for field in info.fields if not field.required}
    return st.fixed_dictionaries(required, optional=optional)


def _few(low: int, high: int | None) -> int:
    return low + 2 if high is None else min(low + 2, high)


def _whole(info: inspect.IntType) -> st.SearchStrategy[int]:
    low = info.ge if info.ge is not None else None if info.gt is None else info.gt + 1
    high = info.le if info.le is not None else None if info.lt is None else info.lt - 1
    step = info.multiple_of or 1
    least = None if low is None else math.ceil(Fraction(low, step))
    most = None if high is None else math.floor(Fraction(high, step))
    return st.integers(least, most).map(lambda times: times * step)


def _real(info: inspect.FloatType) -> st.SearchStrategy[float]:
    low = info.ge if info.ge is not None else info.gt
    high = info.le if info.le is not None else info.lt
    if info.multiple_of:
        step = info.multiple_of
        return st.integers(math.ceil((low or 0) / step), math.floor((high or 100) / step)).map(
            lambda times: times * step
        )
    floats = st.floats(
        None if low is None else float(low),
        None if high is None else float(high),
        exclude_min=info.gt is not None,
        exclude_max=info.lt is not None,
        allow_nan=False,
        allow_infinity=False,
    )
    return floats | floats.map(round).filter(
        lambda whole: (
            (info.ge is None or whole >= info.ge)
            and (info.gt is None or whole > info.gt)
            and (info.le is None or whole <= info.le)
            and (info.lt is None or whole < info.lt)
        )
    )


def _text(info: inspect.StrType) -> st.SearchStrategy[str]:
    low, high = info.min_length or 0, info.max_length
    if info.pattern is None:
        return st.text(min_size=low, max_size=_few(low, high))
    return st.from_regex(info.pattern).filter(
        lambda text: low <= len(text) <= (high or 1000) and _whole_characters(text)
    )


def _whole_characters(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def places(body: Json, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """List the path to every value in a body, itself first."""
    found = [path]
    if isinstance(body, dict):
        for name, item in body.items():
            found += places(item, (*path, name))
    elif isinstance(body, list):
        for index, item in enumerate(body):
            found += places(item, (*path, index))
    return found


def at(body: Json, path: tuple[str | int, ...]) -> Json:
    """Give the value at a path."""
    for step in path:
        body = body[step]
    return body


def _changed(draw: st.DrawFn, body: Json) -> Json:
    paths = places(body)
    kind = draw(st.sampled_from(["nudge", "replace", "drop", "add", "swap", "wrap", "nudge"]))
    leaves = [path for path in paths if not isinstance(at(body, path), (dict, list))]
    path = draw(st.sampled_from(leaves if kind == "nudge" and leaves else paths))
    old = at(body, path)
    if kind == "swap":
        return _put(body, path, copy.deepcopy(at(body, draw(st.sampled_from(paths)))))
    if kind == "wrap":
        return _put(body, path, draw(st.sampled_from([[old], {"a": old}, [old, old]])))
    if kind == "drop" and path:
        return _dropped(body, path)
    if kind == "add" and isinstance(old, dict):
        name = draw(st.sampled_from(["x", "kind", "name", "_schema", "a.b", "~/", ""]) | st.text(max_size=3))
        return _put(body, path, {**old, name: draw(SIMPLE)})
    if kind == "add" and isinstance(old, list):
        return _put(body, path, [*old, *(old or [draw(SIMPLE)])])
    if kind in {"nudge", "add"}:
        return _put(body, path, _nudged(draw, old))
    return _put(body, path, draw(ANY_JSON))


def _nudged(draw: st.DrawFn, old: Json) -> Json:
    if isinstance(old, bool) or old is None:
        return draw(st.sampled_from([0, 1, "", "true", False, None]))
    if isinstance(old, int):
        return draw(st.sampled_from([old + 1, old - 1, -old, old * 10**6, str(old), bool(old), 2**64 + old]))
    if isinstance(old, float):
        near = [-old, old / 2, math.nextafter(old, 0), math.nextafter(old, -1), str(old)]
        return draw(st.sampled_from([number for number in near if number not in {math.inf, -math.inf}]))
    if isinstance(old, str):
        return draw(st.sampled_from([old + "x", old[1:], old * 20, old + "\n", old.upper(), [old]]))
    return draw(st.sampled_from([None, [], {}, ""]))


def _put(body: Json, path: tuple[str | int, ...], new: Json) -> Json:
    if not path:
        return new
    changed = copy.deepcopy(body)
    at(changed, path[:-1])[path[-1]] = new
    return changed


def _dropped(body: Json, path: tuple[str | int, ...]) -> Json:
    changed = copy.deepcopy(body)
    del at(changed, path[:-1])[path[-1]]
    return changed
