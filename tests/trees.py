"""Places in a JSON document, and the document with another value at one of them."""

import copy


def leaves(node, path=()):
    """Every leaf with its path."""
    if isinstance(node, dict | list) and node:
        for key, child in node.items() if isinstance(node, dict) else enumerate(node):
            yield from leaves(child, (*path, key))
    else:
        yield path, node


def at(node, path):
    for key in path:
        node = node[key]
    return node


def replaced(document, path, value):
    changed = copy.deepcopy(document)
    at(changed, path[:-1])[path[-1]] = value
    return changed
