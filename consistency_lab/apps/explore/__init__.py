"""For a class: a page on which counts are dragged, and sheets of small elections."""
