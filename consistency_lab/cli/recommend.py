"""``recommend``: what to train instead, and a program that does."""

from typing import Literal, final

from consistency_lab.cli.codes import CONSISTENT
from consistency_lab.cli.grammar import argument, option
from consistency_lab.cli.question import Target
from consistency_lab.cli.streams import say, say_report
from consistency_lab.errors import InputError


@final
class Recommend(Target):
    """List every loss proved consistent for a target, or print a program that trains one."""

    name: str | None = argument("Print the program that trains this loss.", None, metavar="LOSS")
    library: Literal["lightgbm", "xgboost", "catboost"] = option("The library you train with.", "lightgbm")

    def run(self) -> int:
        """A list, or with a name a program."""
        from consistency_lab.report.recommend import program, recommendations

        if self.target is None:
            raise InputError("recommend needs a target, such as --target ndcg; see list targets")
        if self.name is None:
            say_report(recommendations(self.task(), self.library))
        else:
            say(program(self.task(), self.library, self.name).rstrip())
        return CONSISTENT
