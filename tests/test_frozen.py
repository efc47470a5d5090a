"""Records behave as frozen dataclasses do."""

import pickle
from copy import deepcopy
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from inspect import signature

import pytest

from consistency_lab.frozen import frozen, frozen_with_cache


@frozen
class Slotted:
    x: int
    y: int = 2
    z: list[int] = field(default_factory=list, compare=False)


@frozen_with_cache
class Kept:
    x: int
    y: int = 2
    z: list[int] = field(default_factory=list, compare=False)


@dataclass(frozen=True)
class Plain:
    x: int
    y: int = 2
    z: list[int] = field(default_factory=list, compare=False)


CALLS = [((1,), {}), ((1, 3), {}), ((1, 3, [4]), {}), ((), {"y": 5, "x": 1}), ((1,), {"z": [7]})]
WRONG = [((), {}), ((1, 2, [3], 4), {}), ((1,), {"x": 2}), ((1,), {"w": 2})]


@pytest.mark.parametrize("kind", [Slotted, Kept])
@pytest.mark.parametrize(("given", "named"), CALLS)
def test_a_record_holds_what_a_dataclass_holds(kind, given, named):
    record, plain = kind(*given, **named), Plain(*given, **named)
    assert [getattr(record, one.name) for one in fields(record)] == [plain.x, plain.y, plain.z]
    assert repr(record).partition("(")[2] == repr(plain).partition("(")[2]
    assert hash(record) == hash(plain)
    assert record == deepcopy(record) == pickle.loads(pickle.dumps(record))
    assert replace(record, x=9) == kind(9, record.y) != record


@pytest.mark.parametrize("kind", [Slotted, Kept])
@pytest.mark.parametrize(("given", "named"), WRONG)
def test_a_call_that_does_not_fit_is_refused(kind, given, named):
    with pytest.raises(TypeError):
        Plain(*given, **named)
    with pytest.raises(TypeError):
        kind(*given, **named)


@pytest.mark.parametrize("kind", [Slotted, Kept])
def test_a_record_does_not_change_and_tells_its_parameters(kind):
    with pytest.raises(FrozenInstanceError):
        kind(1).x = 2
    with pytest.raises(FrozenInstanceError):
        del kind(1).x
    assert kind(1).z is not kind(1).z
    assert [*signature(kind).parameters] == ["x", "y", "z"]
    assert kind(1) != Plain(1)
