"""The statements of the theorem book, one file each; `consistency_lab.theorems.book` lists them."""
