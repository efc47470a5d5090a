"""The statements of the theorem book, one file each; `consistency_lab.apps.book.book` lists them."""
