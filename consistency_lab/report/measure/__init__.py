"""How the numbers of `measure` read: text, JSON and pictures."""
