"""What is read of a typed value, and what is typed for the same answer."""

import pytest

from consistency_lab.cli.arguments import (
    chosen_items,
    decimals,
    item_numbers,
    label_values,
    whole,
    whole_numbers,
)
from consistency_lab.cli.losses import refuse_with_target, refuse_without_target
from consistency_lab.cli.question import command_line
from consistency_lab.errors import InputError


@pytest.mark.parametrize(
    ("read", "text", "expected"),
    [
        (whole(1, 64), "8", 8),
        (item_numbers, "2, 4..6", (2, 4, 5, 6)),
        (label_values, "0..2", (0, 1, 2)),
        (label_values, "0, 1, 3", (0, 1, 3)),
        (label_values, "rankings", "rankings"),
        (whole_numbers, "1, 10,100", (1, 10, 100)),
        (decimals, "1e-3,0.5", (0.001, 0.5)),
        (chosen_items, "Fay, Willhoit", ("Fay", "Willhoit")),
        (chosen_items, '"Lee, Sue",Willhoit', ("Lee, Sue", "Willhoit")),
    ],
)
def test_what_is_read(read, text, expected) -> None:
    assert read("--option", text) == expected


def test_what_to_type_for_the_same_answer() -> None:
    asked = {"--target": "ndcg", "--condition": ("any", "low-noise"), "--profile": "folder/v.toc"}
    assert command_line("check", "regression", asked) == (
        "consistency-lab check regression --target ndcg --condition any --condition low-noise --profile v.toc"
    )


def test_a_name_belongs_to_one_question() -> None:
    refuse_without_target("logistic")
    refuse_with_target("softmax")
    for refuse, name in ((refuse_without_target, "zhang"), (refuse_with_target, "difference-logistic")):
        with pytest.raises(InputError, match=f"^{name} is a surrogate of "):
            refuse(name)
