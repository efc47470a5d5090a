"""The atlas: what is known of each surrogate under each condition for each number of items.

One cell is a surrogate, a condition and a number of items; its document says the verdict, the kind of
failure, the smallest witness, how often and how much it is wrong. Cells are made by processes of this machine
or by a Dask cluster, and stored as one JSON file each, so that a run that was killed goes on where it was.
"""
