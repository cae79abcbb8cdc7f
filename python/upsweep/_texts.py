"""Keys, with a number for each distinct key that is not a number, such as strings and dates."""

import numpy as np

from upsweep import _core
from upsweep._arrays import as_array, converted, is_column, is_sparse, native, type_name
from upsweep._arrow import column_of, refuse_nulls
from upsweep._settings import settings


def numbered(keys, verb, threads=None):
    """The distinct keys in ascending order, and the index of each key among them. For keys that are
    numbers: None, and the keys.
    """
    how = settings(threads, "reproducible", verb)
    if is_column(keys) and not is_sparse(keys):
        column = column_of(keys)
        if column is not None and column.nulls:
            refuse_nulls(column.nulls, column.size, verb)
        if column is not None and column.texts:
            return _of_column(column, how)
        # Without a type: numbers of a dictionary, or objects.
        given = converted(keys, verb) if column is None or column.type else np.asarray(keys)
        if given.ndim != 1:
            raise TypeError(
                f"{verb}: keys is a {type(keys).__name__} of several columns; give one of them"
            )
    else:
        given = _array_of(keys) if type(keys) in (list, tuple) else converted(keys, verb)
    kind, flat = given.dtype.kind, np.ascontiguousarray(given).reshape(-1)
    if kind in "OT":
        names, codes = _of_objects(flat.tolist(), verb)
    elif kind in "USmM":
        names, codes = _of_rows(flat, how)
    elif type_name(native(given.dtype)) is None:  # as complex numbers
        names, codes = np.unique(flat, return_inverse=True)
    else:
        return None, as_array(given, verb)
    return np.array(names, given.dtype), codes.reshape(given.shape)


def _of_column(column, how):
    codes = np.empty(column.size, np.uint32)
    texts = column.number(codes, how)
    # Strings of NumPy do not end with a zero.
    found = np.array(texts, object if any(text.endswith("\0") for text in texts) else str)
    return _ascending(found, codes, np.argsort(found, kind="stable"))


def _of_rows(keys, how):
    """Keys with the same number of bytes each."""
    codes, first = np.zeros(len(keys), np.uint32), np.zeros(len(keys), np.uint64)
    if keys.size == 0 or keys.dtype.itemsize == 0:
        return keys[: keys.size > 0], codes
    rows = keys.view(np.uint8).reshape(len(keys), -1)
    found = keys[first[: _core.number_rows(rows, codes, first, how)]]
    return _ascending(found, codes, np.argsort(found, kind="stable"))


# What NumPy makes one array of without changing an element.
_KINDS = (
    (np.timedelta64, "m"),  # an integer, as Python's isinstance sees it
    (np.datetime64, "M"),
    ((bool, int, np.bool_, np.integer), "i"),
    ((float, np.floating), "f"),
    (str, "U"),
    (bytes, "S"),
)


def _kind_of(type_of_key):
    return next((kind for types, kind in _KINDS if issubclass(type_of_key, types)), "O")


def _array_of(keys):
    """A list of keys as an array in which distinct keys stay distinct. It is an object array where
    NumPy would round numbers, strip trailing zeros of strings or convert keys to strings. A tuple
    is one key.
    """
    types = set(map(type, keys))
    kinds = set(map(_kind_of, types))
    if kinds == {"O"} and not any(issubclass(t, tuple) for t in types):  # perhaps lists of keys
        given = np.asarray(keys, object)
        return (
            given if given.ndim == 1 else _array_of(given.reshape(-1).tolist()).reshape(given.shape)
        )
    if len(kinds) == 1 and kinds <= {"U", "S"}:
        zero = "\0" if kinds == {"U"} else b"\0"
        return _objects(keys) if any(key.endswith(zero) for key in keys) else np.asarray(keys)
    if kinds <= {"M"} or kinds <= {"m"} or kinds == {"f"}:
        return np.asarray(keys)
    if kinds <= {"i", "f"}:
        given, numbers = (
            np.asarray(keys),
            [key.item() if isinstance(key, np.generic) else key for key in keys],
        )
        if kinds == {"i"} and given.dtype.kind == "f" and min(numbers) >= 0:
            return np.array(numbers, np.uint64)
        exact = (
            given.dtype.kind in "biu"
            or kinds != {"i"}
            and all(a == b or a != a for a, b in zip(numbers, given.tolist()))
        )
        return given if exact else _objects(numbers)
    return _objects(keys)


def _objects(keys):
    given = np.empty(len(keys), object)
    given[:] = keys
    return given


def _is_missing(key):
    """Whether a key, or a part of a tuple, is None, NaN, NaT or NA."""
    if isinstance(key, tuple):
        return any(map(_is_missing, key))
    try:
        return key is None or not key == key
    except TypeError:  # pandas.NA is neither true nor false
        return True


def _of_objects(keys, verb):
    numbers: dict = {}
    try:
        codes = np.fromiter((numbers.setdefault(key, len(numbers)) for key in keys), np.uint32)
        for key in numbers:
            if _is_missing(key):
                raise ValueError(
                    f"{verb}: a key is {key}, which is missing; remove such elements first"
                )
        order = sorted(range(len(numbers)), key=list(numbers).__getitem__)
    except TypeError as e:
        raise TypeError(f"{verb}: keys need a hash and an order: {e}; give keys of one type") from e
    return _ascending(_objects(list(numbers)), codes, np.array(order, np.intp))


def _ascending(found, codes, order):
    ranks = np.empty(len(found), np.uint32)
    ranks[order] = np.arange(len(found), dtype=np.uint32)
    return found[order], ranks[codes]
