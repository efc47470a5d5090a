"""The losses of pairs of answers that libraries ship, and what a user calls an objective of any library."""

import re
from collections.abc import Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Final, TypeVar

from consistency_lab.errors import InputError, did_you_mean
from consistency_lab.frozen import frozen
from consistency_lab.model.surrogates.tasks.shipped import LIBRARIES, LibraryLoss, Objective, Release
from consistency_lab.numbers.phi import spelled

# --- Losses of pairs of answers, which need no target ---


@frozen
class PairEntry(Objective):
    """One objective that trains on pairs of a chosen and a rejected answer."""

    release: Release  #: The library, as it was read.
    file: str  #: The file that was read, within the package.
    objective: str  #: Its name there.
    formula: str  #: Of the shipped default, for a pair w over l with the log ratios w and l, or log pi.
    loss: str | None  #: Our name of the shipped default, None if it is no sum of such functions.
    note: str  #: One sentence that a user should read.
    defaults: Mapping[str, str]  #: The parameters that matter, with their defaults.


# TRL

# fmt: off
_TRL: Final = Release("trl", "huggingface/trl", "1.16.0", "",
    "c4726e139dd40e1a41661511c639c8a68416782b2e3e8c0befebd77bb7ba0396")
_BETA: Final = {"beta": "0.1"}
_DPO: Final = {**_BETA, "loss_type": "sigmoid", "f_divergence_type": "reverse_kl"}
_CPO: Final = {**_BETA, "cpo_alpha": "1.0", "label_smoothing": "0.0", "alpha": "0.0"}
_OWN_RATE: Final = (
    "It scores each answer alone, so answers are ordered by their {}, however strong their opponents were."
)
_BY_SHARE: Final = _OWN_RATE.format("share of wins")
_SIGN: Final = (
    "It is linear in sigmoid(r), so all answers that win more than they lose diverge and are not told apart."
)
_NLL: Final = (
    "The likelihood of the chosen answer rewards frequent comparison; cpo_alpha = 0 drops it and gives {}."
)

_dpo: Final = partial(PairEntry, _TRL, "trl/trainer/dpo_trainer.py")
_cpo: Final = partial(PairEntry, _TRL, "trl/experimental/cpo/cpo_trainer.py")
_kto: Final = partial(PairEntry, _TRL, "trl/trainer/kto_trainer.py")

_TRL_ENTRIES: Final = (
    _dpo("sigmoid", "-log sigmoid(beta (w - l))", "dpo",
        "It ignores label_smoothing; with it, the loss would be cdpo.", _DPO),
    _dpo("sigmoid_norm", "-log sigmoid(beta (w/|w| - l/|l|)), |.| the number of tokens", "dpo",
        "Answers are ordered by their log ratio per token.", _BETA),
    _dpo("hinge", "max(0, 1 - beta (w - l))", "slic",
        "A pair stops contributing once it reaches the margin.", _BETA),
    _dpo("ipo", "(w/|w| - l/|l| - 1/(2 beta))^2, |.| the number of tokens", "ipo",
        "With scores 2 beta times the log ratio per token, it is the square loss up to a factor.", _BETA),
    _dpo("exo_pair", "q log(q/(1 - e)) + (1 - q) log((1 - q)/e), q = sigmoid(beta (w - l))", "exo",
        "The library refuses its default e = label_smoothing = 0; the 0.001 it recommends is used here.",
        {**_BETA, "label_smoothing": "0.0"}),
    _dpo("nca_pair", "-log sigmoid(r_w) - log(sigmoid(-r_w))/2 - log(sigmoid(-r_l))/2, r = beta times the "
        "log ratio", "nca", _BY_SHARE, _BETA),
    _dpo("robust", "(-(1 - e) log sigmoid(x) + e log sigmoid(-x))/(1 - 2e), x = beta (w - l)", "dpo",
        "The default e = label_smoothing = 0 gives sigmoid; for e > 0 it is unbounded below.",
        {**_BETA, "label_smoothing": "0.0"}),
    _dpo("bco_pair", "-log sigmoid(beta w) - log sigmoid(-beta l)", "bco", _BY_SHARE, _BETA),
    _dpo("sppo_hard", "(w - 1/(2 beta))^2 + (l + 1/(2 beta))^2", "sppo", _BY_SHARE, _BETA),
    _dpo("aot", "-log sigmoid(beta x), x the difference of the sorted log pi_w - log pi_l and of the sorted "
        "ones of the reference", None,
        "It sorts the batch, so it is not a sum over pairs.", {**_BETA, "label_smoothing": "0.0"}),
    _dpo("aot_unpaired", "-log sigmoid(beta x), x the difference of the sorted w and of the sorted l", None,
        "It sorts the batch, so it is not a sum over pairs.", {**_BETA, "label_smoothing": "0.0"}),
    _dpo("apo_zero", "1 - sigmoid(beta w) + sigmoid(beta l)", "apo-zero", _SIGN, _BETA),
    _dpo("apo_down", "sigmoid(beta w) + 1 - sigmoid(beta (w - l))", "apo-down",
        "It is not convex; its order is right in the limit where all compared answers lose their mass to "
        "others, which descent need not reach.", _BETA),
    _dpo("discopop", "(1 - m) (-log sigmoid(x)) + m exp(-x), m = sigmoid(x/tau), x = beta (w - l)",
        "discopop",
        "It is not convex and rises at 0, so training from the reference first lowers the chosen answers.",
        {**_BETA, "discopop_tau": "0.05"}),
    _dpo("sft", "-log pi_w", "sft", _OWN_RATE.format("number of wins"), {}),
    _cpo("cpo", "-log sigmoid(beta (log pi_w - log pi_l)) - cpo_alpha log pi_w", "cpo", _NLL.format("dpo"),
        {**_CPO, "loss_type": "sigmoid"}),
    _cpo("simpo", "-log sigmoid(beta (w - l) - simpo_gamma) - cpo_alpha log pi_w, w and l log pi per token",
        "cpo-simpo", _NLL.format("simpo"), {**_CPO, "simpo_gamma": "0.5"}),
    _cpo("alphapo", "-log sigmoid(beta (w - l) - simpo_gamma), w and l log pi per token", "simpo",
        "It sets cpo_alpha = 0; with the default alpha = 0 it is the loss of the SimPO paper.",
        {**_CPO, "cpo_alpha": "0.0 (set)", "simpo_gamma": "0.5"}),
    PairEntry(_TRL, "trl/experimental/orpo/orpo_trainer.py", "orpo",
        "-log pi_w - beta log sigmoid(log odds_w - log odds_l), odds = pi/(1 - pi)", None,
        "Odds are not a function of score differences, and no certificate here covers them.", _BETA),
    _kto("kto", "1 - sigmoid(beta (w - z)) + 1 - sigmoid(beta (z - l)), z an estimate of the divergence from "
        "the reference", "kto",
        "The estimate z gets no gradient and shifts all scores alike; all answers that win more than they "
        "lose diverge and are not told apart.",
        {**_BETA, "desirable_weight": "1.0", "undesirable_weight": "1.0"}),
    _kto("apo_zero_unpaired", "1 - sigmoid(beta w) + sigmoid(beta l)", "apo-zero", _SIGN, _BETA),
    PairEntry(_TRL, "trl/trainer/reward_trainer.py", "reward", "-log sigmoid(r_w - r_l - margin)", "dpo",
        "Without a column of margins; center_rewards_coefficient would add a pull of r_w + r_l to 0.",
        {"center_rewards_coefficient": "None"}),
    PairEntry(_TRL, "trl/experimental/tpo/tpo_trainer.py", "tpo",
        "-log sigmoid(beta (log pi_w - log pi_l)) - tpo_alpha log pi_g, g a third answer", None,
        "It depends on a third answer, which is not in the pairs; tpo_alpha = 0 gives dpo.",
        {"beta": "0.01", "tpo_alpha": "1.0", "label_smoothing": "0.0"}),
    PairEntry(_TRL, "trl/experimental/online_dpo/online_dpo_trainer.py", "online_dpo",
        "-log sigmoid(beta (w - l))", "dpo",
        "The policy itself draws the pairs, so how often each is compared changes as it learns.",
        {**_BETA, "loss_type": "sigmoid"}),
)
# fmt: on

PAIR_LIBRARIES: Final[Mapping[str, PairEntry]] = MappingProxyType({line.name: line for line in _TRL_ENTRIES})
"""Every objective about pairs of answers, by library and name."""


def pair_libraries() -> tuple[str, ...]:
    """The libraries of losses of pairs, in the order of the table."""
    return tuple(dict.fromkeys(line.release.library for line in PAIR_LIBRARIES.values()))


def is_pair_name(name: str) -> bool:
    """Whether a name is meant for this table: a library and a colon, or what is no loss of ours."""
    key = full_name(name).strip().lower()
    library, colon, _ = key.partition(":")
    return bool(colon and library in pair_libraries()) or key in _without_loss()


def _without_loss() -> dict[str, PairEntry]:
    return {line.objective: line for line in PAIR_LIBRARIES.values() if line.loss is None}


def pair_entry(name: str) -> PairEntry | None:
    """The objective about pairs that a name means, None if it means none."""
    if not is_pair_name(name):
        return None
    return _without_loss().get(name.strip().lower()) or _called(full_name(name), PAIR_LIBRARIES.values())


def pair_entry_of(name: str) -> PairEntry | None:
    """The objective about pairs that a name means, or the first one that is the loss of this name."""
    said = spelled(name)
    return pair_entry(name) or next((one for one in PAIR_LIBRARIES.values() if one.loss == said), None)


_Known = TypeVar("_Known", bound=Objective)


def _called(name: str, lines: Iterable[_Known]) -> _Known:
    """The objective that a name means, in any case, which begins with a library that is known."""
    library, _, wanted = map(str.strip, name.lower().partition(":"))
    known = {line.objective.lower(): line for line in lines if line.library == library}
    # Our name of a loss stands for the first objective that is this loss.
    ours = (line for line in known.values() if isinstance(line, PairEntry) and line.loss == wanted)
    if (found := known.get(wanted) or next(ours, None)) is not None:
        return found
    names = (line.name for line in known.values())
    hint = did_you_mean(wanted, known, "those known are", names, shown=lambda key: repr(known[key].name))
    raise InputError(f"{library} has no objective {name!r} here; {hint}")


# --- All of them, by name ---

_SHORT_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "rank:ndcg": "xgboost:rank:ndcg",
        "rank:map": "xgboost:rank:map",
        "rank:pairwise": "xgboost:rank:pairwise",
        "reg:squarederror": "xgboost:reg:squarederror",
        "lambdarank": "lightgbm:lambdarank",
        "lambdamart": "lightgbm:lambdarank",
        "rankxendcg": "lightgbm:rank_xendcg",
        "xendcg": "lightgbm:rank_xendcg",
        "yetirank": "catboost:YetiRank",
        "yetirankpairwise": "catboost:YetiRankPairwise",
        "pairlogit": "catboost:PairLogit",
        "pairlogitpairwise": "catboost:PairLogitPairwise",
        "queryrmse": "catboost:QueryRMSE",
        "querysoftmax": "catboost:QuerySoftMax",
        "querycrossentropy": "catboost:QueryCrossEntropy",
        "stochasticrank": "catboost:StochasticRank",
        "approxndcg": "tf-ranking:approx_ndcg_loss",
        "neuralndcg": "allrank:neuralNDCG",
        "lambdaloss": "allrank:lambdaLoss",
    }
)
"""Names that people use for an objective of one library, without blanks, hyphens and underscores."""

_PARAMETERS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"objective": ("lightgbm", "xgboost"), "loss_function": ("catboost",), "loss_type": ("trl",)}
)
"""The parameters that name an objective, and the libraries that have them."""

_SETTING: Final = re.compile(rf"""\W*({"|".join(_PARAMETERS)})["']?\s*[=:]\s*["']?(.*?)["',\s]*""", re.DOTALL)

_ONE_OF_MANY: Final = (
    "compares one positive with sampled negatives, so its order depends on how they are drawn; over whole "
    "lists and scores without bounds it is softmax, decoded by sorting, and where a list has one positive it "
    "is multiclass-softmax: type softmax --target NAME --labels 0..1"
)
_ONE_BY_ONE: Final = (
    "is logistic on differences of scores with target 1, and sigmoid on each item with labels 0 and 1, "
    "decoded by sorting: type logistic, or sigmoid --target NAME --labels 0..1"
)
_OVER_A_LIST: Final = (
    "over the scores of a list is softmax, decoded by sorting, and over classes multiclass-softmax: type "
    "softmax --target NAME"
)
_FRAMEWORKS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "marginranking": "is hinge for any margin above 0, up to the scale of scores, but with its "
        "default margin=0 equal scores are already best, so train with margin=1: type hinge",
        "softmargin": "is logistic on differences of scores with target 1: type logistic",
        "bcewithlogits": _ONE_BY_ONE,
        "binarycrossentropywithlogits": _ONE_BY_ONE,
        "crossentropy": _OVER_A_LIST,
        "infonce": _ONE_OF_MANY,
        "ntxent": _ONE_OF_MANY,
        "mnrl": _ONE_OF_MANY,
        "multiplenegativesranking": _ONE_OF_MANY,
        "cachedmultiplenegativesranking": _ONE_OF_MANY,
    }
)
"""Losses of PyTorch and sentence-transformers, each one of ours only with a choice that the user makes."""


def full_name(name: str) -> str:
    """What a name or a setting stands for in one library; any other name as it is."""
    setting = _SETTING.fullmatch(name)
    value = name if setting is None else setting[2]
    value = _SHORT_NAMES.get(spelled(value).replace("-", ""), value)
    if setting is None:
        return value
    meant = [f"{library}:{value}" for library in _PARAMETERS[setting[1]]]
    known = {one.lower(): one for one in (*LIBRARIES, *PAIR_LIBRARIES)}
    found = (known[one.lower()] for one in (value, *meant) if one.lower() in known)
    return next(found, meant[0])


def of_framework(name: str) -> str | None:
    """What a loss of PyTorch or sentence-transformers is here, None for any other name."""
    said = spelled(name.partition("(")[0].rpartition(".")[2]).replace("-", "")
    return _FRAMEWORKS.get(said.removesuffix("loss"))


def stands_for(name: str, target: bool) -> tuple[str, str]:
    """The loss here that one of PyTorch stands for, with or without a target, and why; nothing for others."""
    told = of_framework(name)
    found = None if told is None else re.search(r": type (\w+)( --target)?", told)
    if told is None or found is None or (target and not found[2]):
        return "", ""
    bare = name.partition("(")[0].rpartition(".")[2]
    return found[1], f"{bare} {told[: found.start()]}."


def library_names() -> tuple[str, ...]:
    """The libraries of losses of labels, in the order of the table."""
    return tuple(dict.fromkeys(line.library for line in LIBRARIES.values()))


def is_library_name(name: str) -> bool:
    """Whether a name is meant for this table: something, a colon, and something that is no Python object."""
    return name.partition(":")[0].lower() in library_names() and ":" in name


def entry(name: str) -> LibraryLoss:
    """Look up an objective."""
    return _called(name, library_losses(name.lower().partition(":")[0].strip()))


def library_losses(library: str | None = None) -> tuple[LibraryLoss, ...]:
    """The objectives of one library, or all."""
    if library is None:
        return tuple(LIBRARIES.values())
    chosen = library.strip().lower()
    if chosen not in library_names():
        hint = did_you_mean(chosen, library_names(), "the libraries are")
        raise InputError(f"no losses of a library {library!r} are known; {hint}")
    return tuple(line for line in LIBRARIES.values() if line.library == chosen)
