"""How answers about ranking tasks read, as text and as JSON."""
