"""Numbers that are not known, the tree of a program's runs on them, and the SVT that it is."""
