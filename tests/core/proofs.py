"""Proofs worked out by hand, each small enough to be checked on paper."""

HINGE = "max(0,1-x)"
LOGISTIC = "log(1+exp(-x))"


def prefers(text):
    """Preferences from a text such as "A B 3, B A 2"."""
    return [part.split() for part in text.split(", ")]


def edges(phi, preferences):
    """sum a_ij phi(u_i - u_j)."""
    terms = [[weight, {i: "1", j: "-1"}] for i, j, weight in preferences]
    return [{"phi": phi, "offset": "0", "terms": terms}]


def about(psi, preferences, coordinates="AB", **entries):
    """A proof about one label of preferences and its loss, decoded by sorting."""
    label = {"probability": "1", "prefers": prefers(preferences), "psi": psi}
    return {"coordinates": list(coordinates), "decoder": "sort", "labels": [label], **entries}


def on_pairs(phi, text, coordinates, **entries):
    """A proof about one label of preferences and the edge loss of phi on them."""
    return about(edges(phi, prefers(text)), text, coordinates, **entries)


def fails(prediction, better, failure, regret):
    """The entries about a failure."""
    return {
        "claim": "inconsistent",
        "prediction": list(prediction),
        "better": list(better),
        "failure": failure,
        "regret": regret,
    }


def tie():
    """Additive d = (1, 2, 1); the hinge ties B and C at (1, 0, 0).

    The arguments are 1, 1, 0 and -1, the slopes -1, 0 (at kinks), -1 and -1. Item A: -1 + 0 + 1 = 0, item B:
    1 - 1 = 0, item C: 0 + 1 - 1 = 0.
    """
    return on_pairs(
        HINGE,
        "A B 1, A C 3, B C 1, C A 1",
        "ABC",
        **fails("ACB", "ABC", "tie", "1"),
        scores=["1", "0", "0"],
        certificate={"kind": "minimum", "slopes": ["-1", "0", "-1", "-1"]},
    )


def escape():
    """D is preferred to C alone, and never the other way round; A, B and C are as in `tie`."""
    return on_pairs(
        HINGE,
        "A B 1, A C 3, B C 1, C A 1, D C 1",
        "ABCD",
        **fails("DACB", "DABC", "tie", "1"),
        scores=["1", "0", "0", "0"],
        direction=[0, 0, 0, 1],
        certificate={"kind": "minimum", "slopes": ["-1", "0", "-1", "-1", None]},
    )


def chamber():
    """(u_A - u_B - 1)^2 near its least value keeps A above B: on u_A <= u_B it is at least 1.

    The slope at 0 is -2, so that the bound has the multiplier 2; the tangents at 0 and 0 give phi*(-2) = -1.
    """
    psi = [{"phi": "(x-1)**2", "offset": "0", "terms": [["1", {"A": "1", "B": "-1"}]]}]
    bound = {"above": "A", "below": "B", "slopes": ["-2"], "brackets": [["0", "0"]]}
    certificate = {"kind": "separation", "bounds": [bound], "gap": "0.9"}
    scores = ["1", "0"]
    return about(psi, "A B 3, B A 2", claim="consistent-at-p", scores=scores, certificate=certificate)


def wrong_chamber():
    """The same risk where B is preferred more often: whatever comes near its least value is wrong."""
    found = chamber()
    found["labels"][0]["prefers"] = prefers("A B 2, B A 3")
    return {**found, **fails("AB", "BA", "strict", "1")}


def mean():
    """Regression on discounted grades: A's feature is 1/log2(3) half of the time, else 0; B has 49/100.

    The mean of A is about .315 and that of B .49, so B is sorted first; the loss wants A.
    """
    labels = [
        {"probability": "1/2", "losses": ["0", "1"], "psi": ["1/log2(3)", "49/100"]},
        {"probability": "1/2", "losses": ["0", "1/log2(3)"], "psi": ["0", "49/100"]},
    ]
    return {
        **fails("BA", "AB", "strict", "0.815464"),
        "coordinates": ["A", "B"],
        "decoder": "sort",
        "predictions": [["A", "B"], ["B", "A"]],
        "labels": labels,
        "scores": None,
        "certificate": {"kind": "mean", "risk": "squares"},
    }


def cells():
    """One score, "yes" where it is at least 1/2; its mean is 1/3, but "yes" is right more often."""
    yes, no = [[[["1"], "-1/2"]]], [[[["-1"], "1/2"]]]
    return {
        **fails("x", "x", "strict", "1/3"),
        "prediction": "no",
        "better": "yes",
        "coordinates": ["u"],
        "decoder": {"yes": yes, "no": no},
        "predictions": ["yes", "no"],
        "labels": [
            {"probability": "2/3", "losses": ["0", "1"], "psi": ["0"]},
            {"probability": "1/3", "losses": ["1", "0"], "psi": ["1"]},
        ],
        "scores": None,
        "certificate": {"kind": "mean", "risk": "squares"},
    }


def soft_pairs():
    """A sigmoid a pair: B is to be above A and C in 3/5 of the lists, else A; the loss wants A above B."""
    return {
        **fails("BAC", "ABC", "strict", "1"),
        "coordinates": ["A", "B", "C"],
        "decoder": "sort",
        "labels": [
            # f_AB, f_AC, f_BA, f_BC, f_CA, f_CB
            {"probability": "3/5", "prefers": prefers("A B 1"), "psi": ["0", "0", "1", "1", "0", "0"]},
            {"probability": "2/5", "prefers": prefers("A B 1"), "psi": ["1", "1", "0", "0", "0", "0"]},
        ],
        "scores": None,
        "certificate": {"kind": "mean", "risk": "soft-pairs"},
    }


def positions():
    """Approximate positions: the mean weight of A is 3/10, and that of B is 1/5."""
    return {
        **fails("AB", "BA", "strict", "1"),
        "coordinates": ["A", "B"],
        "decoder": "sort",
        "labels": [
            {"probability": "1/2", "prefers": prefers("B A 1"), "psi": ["3/5", "0"]},
            {"probability": "1/2", "prefers": prefers("B A 1"), "psi": ["0", "2/5"]},
        ],
        "scores": None,
        "certificate": {"kind": "mean", "risk": "positions"},
    }


def equilibrium():
    """exp(u_A - u_B) - 2 vanishes at u_A - u_B = log 2; its slope is positive, so descent is drawn there."""
    steps = [["difference", 0, 1], ["exp", 0], "2", ["subtract", 1, 2]]
    certificate = {"kind": "equilibrium", "box": [["69/100", "7/10"]], "attracting": True}
    failure = fails("AB", "BA", "strict", "1") | {"claim": "wrong-equilibrium"}
    psi = {"steps": steps, "gradient": [3]}
    return about(psi, "B A 1", **failure, scores=None, certificate=certificate)


def listwise():
    """log(e^u_A + e^u_B) - (2 u_A + u_B)/3 is least where e^u is as 2 : 1."""
    psi = [{"log-sum-exp": "1", "over": ["A", "B"]}, {"linear": {"A": "-2/3", "B": "-1/3"}}]
    certificate, failure = {"kind": "minimum", "slopes": [None, None]}, fails("AB", "BA", "strict", "1")
    return about(psi, "B A 1", **failure, scores=["log(2)", "0"], certificate=certificate)


def multiclass():
    """max(u_A + 1, u_B) + max(u_B + 1, u_A) - u_A - u_B: two classes by Crammer and Singer, each half right.

    It is least wherever the two scores differ by at most 1, so at (1, 0) as well, whichever class costs less.
    """
    psi = [
        {"max": "1", "pieces": [[{"A": "1"}, "1"], [{"B": "1"}, "0"]]},
        {"max": "1", "pieces": [[{"B": "1"}, "1"], [{"A": "1"}, "0"]]},
        {"linear": {"A": "-1", "B": "-1"}},
    ]
    certificate = {"kind": "minimum", "slopes": [["1", "0"], ["1", "0"], None]}
    failure = fails("AB", "BA", "strict", "1")
    return about(psi, "B A 1", **failure, scores=["1", "0"], certificate=certificate)


def chain():
    """(u_A - u_B - 1)^2 + (u_B - u_C - 1)^2 keeps A above B above C; the labels want the reverse.

    On u_A <= u_B the first square is at least 1 and the second at least 0; likewise for B and C.
    """
    square = {"phi": "(x-1)**2", "offset": "0"}
    psi = [{**square, "terms": [["1", {i: "1", j: "-1"}]]} for i, j in ("AB", "BC")]
    bounds = [
        {"above": "A", "below": "B", "slopes": ["-2", "0"], "brackets": [["0", "0"], ["1", "1"]]},
        {"above": "B", "below": "C", "slopes": ["0", "-2"], "brackets": [["1", "1"], ["0", "0"]]},
    ]
    certificate = {"kind": "separation", "bounds": bounds, "gap": "0.9"}
    failure, scores = fails("ABC", "CBA", "strict", "3"), ["2", "1", "0"]
    return about(psi, "B A 2, C B 1", "ABC", **failure, scores=scores, certificate=certificate)


def common_chain():
    """As `chain`, with the slopes 0 at the scores in common; each bound changes one to -2.

    That leaves 2 (e_B - e_A), and (1 - 1)^2 + phi*(-2) + 2 = 0 - 1 + 2 is lost: the bound is 2 - 1 above W.
    """
    bounds = [
        {"above": i, "below": j, "terms": [t], "slopes": ["-2"], "brackets": [["0", "0"]]}
        for t, (i, j) in enumerate(("AB", "BC"))
    ]
    common = {"slopes": ["0", "0"], "radii": ["0", "0"]}
    return {
        **chain(),
        "certificate": {"kind": "separation", "common": common, "bounds": bounds, "gap": "0.9"},
    }


def common_radius():
    """3 log(1 + e^-x) + log(1 + e^x), x = u_A - u_B: least at log 3, the slopes there -1/4 and -3/4.

    At 11/10 it is 2.24936, and on x <= 0 at least 4 log 2: .52323 more. The slopes of the bound are those at
    0; the common ones are attained within 1/50, and lose at most 4/50 (phi'(1.12) - phi'(1.08)) < .001.
    """
    bound = {
        "above": "A",
        "below": "B",
        "terms": [0, 1],
        "slopes": ["-1/2"] * 2,
        "brackets": [["0", "0"]] * 2,
    }
    common = {"slopes": ["-1/4", "-3/4"], "radii": ["1/50", "1/50"]}
    certificate = {"kind": "separation", "common": common, "bounds": [bound], "gap": "0.52"}
    scores = ["11/10", "0"]
    return on_pairs(
        LOGISTIC, "A B 3, B A 1", "AB", claim="consistent-at-p", scores=scores, certificate=certificate
    )


def common_escape():
    """As `chamber`, and e^(u_C - u_B), which is e^-9 at the scores and has the slope 0 in common."""
    found = chamber()
    found["coordinates"] = list("ABC")
    found["labels"][0]["psi"].append(
        {"phi": "exp(-x)", "offset": "0", "terms": [["1", {"B": "1", "C": "-1"}]]}
    )
    found["certificate"]["bounds"][0]["terms"] = [0]
    found["certificate"]["common"] = {"slopes": ["0", "0"], "radii": ["0", None]}
    return {**found, "scores": ["1", "0", "-9"]}


def common_listwise():
    """As `listwise_chamber`; the weights 2/3 and 1/3 in common lose nothing at (log 2, 0)."""
    found = listwise_chamber()
    found["certificate"]["bounds"][0].update(terms=[0], slopes=[["1/2", "1/2"]], brackets=[None])
    found["certificate"]["common"] = {"slopes": [["2/3", "1/3"], None, None], "radii": [None] * 3}
    return found


def at_least(psi, scores, gap, slope, bracket):
    """A risk of one atom that on u_A <= u_B is larger than at the scores; A is wanted above B."""
    bound = {"above": "A", "below": "B", "slopes": [slope], "brackets": [bracket]}
    certificate = {"kind": "separation", "bounds": [bound], "gap": gap}
    return about(psi, "A B 1", claim="consistent-at-p", scores=scores, certificate=certificate)


def offset_chamber():
    """2 (u_A - u_B - 1)^2 is 1/2 at (1/2, 0), and at least 2 on u_A <= u_B: 3/2 more."""
    psi = [{"phi": "x**2", "offset": "1", "terms": [["2", {"A": "1", "B": "-1"}]]}]
    return at_least(psi, ["1/2", "0"], "1.49", "-2", ["-1", "-1"])


def max_chamber():
    """2 max(1 - u_A + u_B, 0, u_A - u_B - 2) is 1 at (1/2, 0), and at least 2 on u_A <= u_B."""
    pieces = [[{"A": "-1", "B": "1"}, "1"], [{}, "0"], [{"A": "1", "B": "-1"}, "-2"]]
    return at_least([{"max": "2", "pieces": pieces}], ["1/2", "0"], "0.99", ["1", "0", "0"], None)


def listwise_chamber():
    """log(e^u_A + e^u_B) - (2 u_A + u_B)/3 is log 3 - 2/3 log 2 at (log 2, 0).

    On u_A <= u_B it is at least log 2, by the weights 1/2 and 1/2, which leave -1/6 at A and 1/6 at B: .05663
    more.
    """
    found = at_least([], ["log(2)", "0"], "0.0566", ["1/2", "1/2"], None)
    found["certificate"]["bounds"][0].update(slopes=[["1/2", "1/2"], None, None], brackets=[None, None, None])
    found["labels"] = [
        {
            "probability": probability,
            "prefers": prefers(preferred),
            "psi": [{"log-sum-exp": "1", "over": ["A", "B"]}, {"linear": {item: "-1"}}],
        }
        for probability, preferred, item in (("2/3", "A B 1", "A"), ("1/3", "B A 1", "B"))
    ]
    return found


def listed_chamber():
    """As `chamber`, with the two losses written out: 1/log2(3) = .63 for A above B, 1 for the reverse."""
    found = chamber()
    label = found["labels"][0]
    del label["prefers"]
    label["losses"] = ["1/log2(3)", "1"]
    return {**found, "predictions": [["A", "B"], ["B", "A"]]}


def universal():
    """h = 3 (A, B), 8 (A, C), 1 (B, C), 4 (C, A): no convex phi with phi'(0) < 0 puts A above B above C.

    8 (3 g_AB + 8 g_AC - 4 g_CA) + 11 (4 g_CA - 8 g_AC - g_BC) + 24 (g_AC - g_AB) + (g_0 - g_CA) + 11 (g_BC -
    g_CA) is g_0: A and B cancel, C keeps 64 - 88 + 24 = 0, BC -11 + 11 = 0, CA -32 + 44 - 1 - 11 = 0. For the
    square the scores are (22, -9, 0)/51.
    """
    monotone = [[["A", "B"], ["A", "C"], "24"], [["C", "A"], "0", "1"], [["C", "A"], ["B", "C"], "11"]]
    return on_pairs(
        "(1-x)**2",
        "A B 3, A C 8, B C 1, C A 4",
        "ABC",
        **fails("ACB", "ABC", "strict", "1"),
        scores=["22/51", "-9/51", "0"],
        certificate={"kind": "minimum", "slopes": ["-40/51", "-58/51", "-120/51", "-146/51"]},
        universal=[{"balance": ["8", "0", "11"], "monotone": monotone}],
    )


def tied_mean():
    """A and B have the mean 0 and C has 1, so C comes first, in whatever order the others are: 2 more."""
    orders = ["ABC", "ACB", "BAC", "BCA", "CAB", "CBA"]
    losses = {"ABC": "1", "CAB": "3", "CBA": "5/2"}
    return {
        **fails("CAB", "ABC", "strict", "2"),
        "coordinates": list("ABC"),
        "decoder": "sort",
        "predictions": [list(t) for t in orders],
        "labels": [
            {"probability": "1", "losses": [losses.get(t, "9") for t in orders], "psi": ["0", "0", "1"]}
        ],
        "scores": None,
        "certificate": {"kind": "mean", "risk": "squares"},
    }


def tied_cells():
    """As `cells`, with the mean 1/2: "no" may be returned as well as "yes", and costs 1 in place of 1/2."""
    labels = [
        {"probability": "1/2", "losses": ["0", "2"], "psi": ["0"]},
        {"probability": "1/2", "losses": ["1", "0"], "psi": ["1"]},
    ]
    return {**cells(), "labels": labels, "failure": "tie", "regret": "1/2"}


def cells_at_a_minimum():
    """max(0, -u) is least from u = 0 on; "no" up to 1/2, but "yes" is right."""
    found = cells()
    term = {"phi": "max(0,-x)", "offset": "0", "terms": [["1", {"u": "1"}]]}
    label = {"probability": "1", "losses": ["0", "1"], "psi": [term]}
    minimum = {"kind": "minimum", "slopes": ["0"]}
    return {**found, "labels": [label], "regret": "1", "scores": ["0"], "certificate": minimum}


def infeasible():
    """x >= 0 and x <= -1."""
    system = {"rows": [["1"]], "right": ["-1"], "equal_rows": [], "equal_right": [], "y": ["1"], "z": []}
    return {"claim": "infeasible", "systems": [system]}


PROOFS = {
    maker.__name__: maker
    for maker in (
        *(tie, escape, chamber, wrong_chamber, mean, cells, soft_pairs, positions, equilibrium, listwise),
        *(multiclass, chain, common_chain, common_radius, common_escape, common_listwise, offset_chamber),
        *(max_chamber, listwise_chamber, listed_chamber, universal, tied_mean, tied_cells),
        *(cells_at_a_minimum, infeasible),
    )
}
