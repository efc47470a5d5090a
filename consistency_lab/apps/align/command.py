"""``consistency-lab align``: the order of a trained policy, and of scores that are linear in features."""

from dataclasses import replace
from typing import TYPE_CHECKING, final

from consistency_lab.cli.arguments import chosen_items
from consistency_lab.cli.codes import OF_VERDICT
from consistency_lab.cli.command import option
from consistency_lab.cli.losses import GraphSurrogate
from consistency_lab.cli.question import Profiled, SavedSearch, command_line
from consistency_lab.cli.streams import say_json, say_report, warn
from consistency_lab.errors import InputError, UnsupportedError

if TYPE_CHECKING:
    from consistency_lab.data.profile import Profile
    from consistency_lab.model.surrogates import Surrogate


@final
class Align(SavedSearch, GraphSurrogate, Profiled):
    """Decide the order of a trained policy, or of linear scores.

    With --reference and --profile: which gaps of the reference survive training.
    With --features: which axioms the loss breaks with such scores, at the profile or at
    one that is searched for.
    """

    reference: str | None = option(
        "The reference policy: a CSV answer,logp (log pi_ref; per token for ipo).", metavar="FILE"
    )
    beta: str | None = option("With --reference: the parameter beta of the loss (0.1).", metavar="Q")
    features: str | None = option(
        "Let scores be linear in these features: a CSV with an item and its features per row.",
        metavar="FILE.csv",
    )
    axiom: str | None = option("With --features: best, pareto, majority (all).", metavar="A,B")

    details: bool = option("All that is proved, and whether the loss is right at the profile.", False)

    def run(self) -> int:
        """One of the two questions."""
        if (self.features is None) == (self.reference is None):
            raise InputError("align needs --reference FILE (a policy) or --features FILE, one of the two")
        self.refuse(": it belongs to --reference", *([] if self.reference else ["beta"]))
        self.refuse(": it belongs to --features", *([] if self.features else ["axiom"]))
        self.refuse(
            ": it says how a profile is read; give --profile too",
            *(() if self.profile else ("unranked", "select")),
        )
        self.prepare()
        from consistency_lab.data.profile import read_profile

        surrogate, profile = self.surrogate("align"), None
        if self.profile is not None:
            profile = read_profile(self.profile, self.unranked, self.selected())
        if self.features is not None:
            return self._linear(surrogate, profile, self.features)
        if profile is None or self.reference is None:
            raise InputError("--reference needs the preferences that train the policy; give --profile FILE")
        return self._trained(surrogate, profile, self.reference)

    def _command(self) -> str:
        """What to type for the same answer."""
        saving = ("budget", "stop_after", "seed", "json", "out", "save", "details")
        names = [name for name, one in self.declared().items() if not one.positional and name not in saving]
        return command_line("align", self.one_name(), self.given(*names))

    def _linear(self, surrogate: "Surrogate", profile: "Profile | None", file: str) -> int:
        """Decide scores that are linear in the features of a file, save, and show."""
        from consistency_lab.apps.align.features import check_features, read_features
        from consistency_lab.apps.align.report import features_answer, features_document

        axioms = None if self.axiom is None else chosen_items("--axiom", self.axiom)
        features, command = read_features(file), self._command()
        decision = check_features(surrogate, features, profile, axioms=axioms, command=command)
        proofs = [decision.witness, *(answer.witness for answer in decision.answers)]
        documents = [one.document for one in proofs if one is not None]
        files = self.saved([*documents, *(one.proof for one in decision.answers if one.proof is not None)])
        if self.json:
            say_json(features_document(decision, files))
        else:
            say_report(features_answer(decision, files, self.details))
        return OF_VERDICT[str(decision.verdict)]

    def _trained(self, surrogate: "Surrogate", profile: "Profile", file: str) -> int:
        """Decide the loss at a profile, and the order of a policy that started from the reference."""
        from consistency_lab.apps.align.policy import policy, read_reference
        from consistency_lab.decide.profile import decide_profile
        from consistency_lab.numbers.exact import rational
        from consistency_lab.show.answer import profile_document
        from consistency_lab.show.profile import first_line, policy_answer, profile_screen

        beta = rational(self.beta or "0.1", "--beta")
        if beta <= 0:
            raise InputError(f"--beta is {beta}; it must be positive")
        decision = decide_profile(surrogate, profile, command=self._command())
        try:
            decision = replace(decision, policy=policy(decision, read_reference(file), beta))
        except UnsupportedError as error:  # the verdict stands without it
            warn(f"Note: {error}.")
        files = self.saved([] if decision.witness is None else [decision.witness.document])
        asked = self.name or str(self.phi)
        if self.json:
            say_json(
                {**profile_document(decision, profile, files), "line1": first_line(decision, profile, asked)}
            )
        else:
            trained = decision.policy
            if trained is not None:
                say_report(policy_answer(trained, decision.distribution.items))
            if trained is None or self.details:
                gap = [] if trained is None else [""]
                say_report([*gap, *profile_screen(decision, profile, asked, str(self.profile), files, True)])
        return OF_VERDICT[str(decision.verdict)]
