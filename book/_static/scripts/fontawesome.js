// The icons come as a web font; this file replaces a script of 1.5 MB that the theme would load for the same icons.
