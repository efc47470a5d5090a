"""How the experiments of the papers read: text, tables and figures."""
