"""DMJ10 §4: hinge, logistic and value-regularized linear loss on the ratings of MovieLens 100k."""
