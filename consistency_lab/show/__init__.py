"""What a person or a program reads: sentences, tables, proofs, JSON answers and files."""
