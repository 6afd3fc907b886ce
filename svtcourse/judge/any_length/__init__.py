"""Why a program does the same for every number of queries."""
