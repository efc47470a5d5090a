"""What is proved about surrogates for tasks: any finite prediction problem (RAT13 Definition 1)."""
