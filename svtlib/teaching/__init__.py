"""Figures, tables and checked claims for the chapters."""
