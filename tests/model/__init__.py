"""The tables of the package, told a second time: `oracle` shares no code with it, and the tests compare."""
