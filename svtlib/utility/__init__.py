"""Score distributions and what a mechanism makes of them."""
