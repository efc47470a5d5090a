"""``python -m consistency_lab`` is the command ``consistency-lab``."""

from consistency_lab.cli.running import main

if __name__ == "__main__":
    main()
