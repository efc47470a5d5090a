"""Compares the losses of the catalogue with TRL's own code, and trains policies on their witnesses.

`pip install consistency-lab[trl]`, then `python docs/measure_trl.py`, writes docs/alignment_trained.json: for
each objective the largest difference between its formula here and what TRL computes on random log
probabilities, and the order that a tabular policy learns from the witness of docs/alignment.md, with TRL's
functions. A test compares what is stored with the catalogue.
"""

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
import trl
from trl.experimental.cpo.cpo_trainer import CPOTrainer
from trl.trainer.dpo_trainer import DPOTrainer

from consistency_lab.decide.surrogate import decide
from consistency_lab.model.surrogates import AnswerSurrogate, surrogate
from consistency_lab.numbers.phi import Expression
from consistency_lab.solve.numeric import compiled

STORED = Path(__file__).resolve().parent / "alignment_trained.json"
BETA, DRAWN = 0.1, 1000

# By the name of the loss here: TRL's objective, label_smoothing, how many betas a score of ours is worth, and
# the factor and constant that minimization does not see.
PLAIN = {
    "dpo": ("sigmoid", 0.0, 1, 1.0),
    "slic": ("hinge", 0.0, 1, 1.0),
    "ipo": ("ipo", 0.0, 2, 1 / (2 * BETA) ** 2),
    "exo": ("exo_pair", 0.001, 1, 1.0),
    "nca": ("nca_pair", 0.0, 1, 1.0),
    "robust": ("robust", 0.1, 1, 1.0),
    "bco": ("bco_pair", 0.0, 1, 1.0),
    "sppo": ("sppo_hard", 0.0, 2, 1 / (2 * BETA) ** 2),
    "apo-zero": ("apo_zero", 0.0, 1, 1.0),
    "apo-down": ("apo_down", 0.0, 1, 1.0),
    "discopop": ("discopop", 0.0, 1, 1.0),
}
CPO = {"cdpo": ("sigmoid", 0.1), "simpo": ("simpo", 0.0)}

# Where each goes wrong: condition and design.
WRONG = {
    **dict.fromkeys(("ipo", "cdpo", "simpo"), ("bradley-terry", "any")),
    **dict.fromkeys(("bco", "nca", "sppo", "sft"), ("bradley-terry", "forest")),
}

Loss = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]


def of_dpo(objective: str, smoothing: float) -> Loss:
    """TRL's mean loss of pairs, from log pi and log pi_ref of the chosen and the rejected answers."""
    same = SimpleNamespace(gather=lambda x: x, gather_for_metrics=lambda x: x, device="cpu")
    trainer: Any = SimpleNamespace(
        model=SimpleNamespace(training=True),
        accelerator=same,
        aux_loss_enabled=False,
        ld_alpha=None,
        precompute_ref_logps=True,
        f_divergence_type="reverse_kl",
        loss_types=[objective],
        loss_weights=[1.0],
        beta=BETA,
        label_smoothing=smoothing,
        use_weighting=False,
        args=SimpleNamespace(discopop_tau=0.05),
        _metrics=defaultdict(lambda: defaultdict(list)),
        _total_train_tokens=0,
        _tp_size=1,
    )

    def loss(w: torch.Tensor, v: torch.Tensor, ref_w: torch.Tensor, ref_v: torch.Tensor) -> torch.Tensor:
        logps = torch.cat((w, v))[:, None]  # answers of one token
        nothing = torch.zeros_like(logps)

        def model(**_: object) -> SimpleNamespace:
            return SimpleNamespace(
                log_probs=logps, entropy=nothing, mean_logits=nothing, is_top1=nothing.bool()
            )

        ids = torch.ones(len(logps), 2, dtype=torch.long)
        inputs = {
            "input_ids": ids,
            "attention_mask": ids,
            "completion_mask": torch.tensor([[0, 1]] * len(logps)),
            "ref_chosen_logps": ref_w,
            "ref_rejected_logps": ref_v,
        }
        found: torch.Tensor = DPOTrainer._compute_loss(trainer, model, inputs, False)
        return found

    return loss


def of_cpo(objective: str, smoothing: float) -> Loss:
    """The same for CPOTrainer with cpo_alpha = 0."""
    trainer: Any = SimpleNamespace(
        accelerator=SimpleNamespace(device="cpu"),
        alpha=0.0,
        beta=BETA,
        loss_type=objective,
        simpo_gamma=0.5,
        label_smoothing=smoothing,
    )
    return lambda w, v, *_: CPOTrainer.cpo_loss(trainer, w, v)[0].mean()


def values(part: Expression, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.asarray(compiled(part)(x)[0], dtype=float) * np.ones_like(x) if part.args else 0 * x


def ours(name: str, w: np.ndarray[Any, Any], v: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Our loss of one pair at its two scores."""
    loss = surrogate(name)
    if type(loss) is AnswerSurrogate:
        return values(loss.phi, w - v) + values(loss.won, w) + values(loss.lost, -v)
    return values(loss.functions[0], w - v)


def largest_differences() -> dict[str, float]:
    generator = torch.Generator().manual_seed(0)
    found = {}
    plain = {name: (of_dpo(*row[:2]), *row[2:]) for name, row in PLAIN.items()}
    for name, (loss, betas, factor) in {
        **plain,
        **{name: (of_cpo(*row), 1, 1.0) for name, row in CPO.items()},
    }.items():
        worst = 0.0
        for _ in range(DRAWN):
            logps = -30 * torch.rand(4, 1, generator=generator, dtype=torch.float64)
            if name in CPO:
                logps[2:] = 0
            theirs = float(loss(*logps))
            w, v = (betas * BETA * (logps[k] - logps[k + 2]).numpy() for k in (0, 1))
            mine = float(factor * ours(name, w, v)[0])
            worst = max(worst, abs(theirs - mine) / max(1, abs(theirs)))
        found[name] = worst
    return found


def trained(name: str, a: list[list[float]]) -> list[float]:
    """The scores that a tabular policy learns from counts, with one more answer that nobody compared."""
    m = len(a)
    loss = of_cpo(*CPO[name]) if name in CPO else of_dpo(*(PLAIN[name][:2] if name in PLAIN else (name, 0.0)))
    rewards = name not in ("simpo", "sft")  # the others have no reference
    start = torch.full((m + 1,), -30.0, dtype=torch.float64) if rewards else torch.zeros(m + 1).double()
    start[m] = 0 if rewards else -30
    reference = torch.log_softmax(start, 0)
    logits = start.clone().requires_grad_()
    optimizer = torch.optim.LBFGS([logits], 1, 2000, 4000, 1e-12, 1e-15, 50, "strong_wolfe")
    edges = [(i, j, a[i][j]) for i in range(m) for j in range(m) if a[i][j]]
    total = sum(weight for *_, weight in edges)

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        log_pi = torch.log_softmax(logits, 0)
        parts = (
            weight / total * loss(*(x[[k]] for x in (log_pi, reference) for k in (i, j)))
            for i, j, weight in edges
        )
        found = torch.stack(list(parts)).sum()
        found.backward()
        return found

    for _ in range(5):
        optimizer.step(closure)
    log_pi = torch.log_softmax(logits.detach(), 0)
    scores = BETA * (log_pi - reference if rewards else log_pi)[:m]
    return [float(x) for x in scores]


def orders() -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    for name, (condition, design) in WRONG.items():
        (witness,) = decide(name, condition, design=design, prescribe=False).witnesses[:1]
        a = [[float(x) for x in row] for row in witness.distribution.aggregate]
        scores = trained(name, a)
        learned = sorted(range(len(a)), key=lambda k: -scores[k])
        proved = sorted(range(len(a)), key=lambda k: -float(witness.scores[k]))
        found[name] = {
            "counts": [[str(x) for x in row] for row in witness.distribution.aggregate],
            "learned": learned,
            "proved": proved,
            "better": list(witness.better),
            "scores": [round(x, 4) for x in scores],
        }
        print(name, found[name])
    return found


def main() -> None:
    document = {
        "versions": {"trl": trl.__version__, "torch": torch.__version__.partition("+")[0]},
        "drawn": DRAWN,
        "differences": {name: float(f"{x:.1g}") for name, x in largest_differences().items()},
        "orders": orders(),
    }
    STORED.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
