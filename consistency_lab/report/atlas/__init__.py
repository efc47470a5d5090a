"""How an atlas reads: a table, a page and a heat map of the cells that were made."""
