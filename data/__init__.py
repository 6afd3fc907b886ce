"""The data files of svtlib: score distributions, Adult marginals, published tables and the claims ledger.

`README.md` in this directory says where each number comes from.
The directory is the package `svtlib.data` once installed, so that one resolver,
`svtlib.files.data_file`, finds the files in a checkout and in a wheel alike.
"""
