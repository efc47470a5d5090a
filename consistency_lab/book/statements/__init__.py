"""The statements of the theorem book, one file each; `consistency_lab.book.book` lists them."""
