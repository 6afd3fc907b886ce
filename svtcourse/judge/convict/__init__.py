"""Neighbours and an output that tell a program apart from a private one."""
