"""The apps on the platform: one table of what each app adds, imported only when it is asked for."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, final


@final
class App(NamedTuple):
    """What a feature adds; each place is a module and a name in it."""

    commands: Mapping[str, str]  #: Its commands, each a class or a group.
    records: tuple[str, ...] = ()  #: Its JSON documents.
    #: Its tables of `list`, each a function that makes one.
    lists: Mapping[str, str] = MappingProxyType({})
    explains: tuple[str, ...] = ()  #: From a word of `explain` to lines, none if it does not know the word.


APPS: Final[Mapping[str, App]] = MappingProxyType(
    {
        "audit": App(
            {"audit": "consistency_lab.apps.audit.command.Audit"},
            records=(
                "consistency_lab.apps.audit.report.DOCUMENT",
                "consistency_lab.apps.audit.totals.AUDITS",
            ),
        ),
        "measure": App(
            {
                "measure": "consistency_lab.apps.measure.command.Measure",
                "calibration": "consistency_lab.apps.measure.command.Calibration",
                "atlas": "consistency_lab.apps.measure.command.Atlas",
            },
            records=(
                "consistency_lab.apps.measure.report.search_document",
                "consistency_lab.apps.measure.report.over_document",
                "consistency_lab.apps.measure.lost.lost_document",
                "consistency_lab.apps.measure.calibration_report.calibration_document",
                "consistency_lab.apps.measure.calibration_report.bounded_document",
                "consistency_lab.apps.measure.atlas.report.atlas_document",
            ),
        ),
        "learn": App(
            {
                "aggregate": "consistency_lab.apps.learn.command.Aggregate",
                "experiment": "consistency_lab.apps.learn.experiments.command.EXPERIMENT",
            },
            records=("consistency_lab.apps.learn.experiments.report.EXPERIMENT",),
        ),
        "book": App(
            {
                "reproduce": "consistency_lab.apps.book.command.Reproduce",
                "export": "consistency_lab.apps.book.command.Export",
            },
            records=("consistency_lab.apps.book.report.book_document",),
            lists={"theorems": "consistency_lab.apps.book.report.listing"},
            explains=("consistency_lab.apps.book.report.explained",),
        ),
        "explore": App(
            {
                "explore": "consistency_lab.apps.explore.command.Explore",
                "exercises": "consistency_lab.apps.explore.command.Exercises",
            }
        ),
        "embed": App(
            {"embed": "consistency_lab.apps.embed.command.Embed"},
            records=(
                "consistency_lab.apps.embed.report.embed_document",
                "consistency_lab.apps.embed.report.decoder_document",
            ),
        ),
        "align": App(
            {"align": "consistency_lab.apps.align.command.Align"},
            records=("consistency_lab.apps.align.report.features_document",),
        ),
    }
)
