"""Inverse search over the labels of a finite task, for surrogates that are sums of convex atoms."""

from consistency_lab.proofs.task_proof import LabelWitness
from consistency_lab.search.labels.find import label_witnesses
from consistency_lab.search.labels.size import LabelSize, label_size

__all__ = ["LabelSize", "LabelWitness", "label_size", "label_witnesses"]
