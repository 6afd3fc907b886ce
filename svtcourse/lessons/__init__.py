"""One module for each lesson: its figures, with the data behind them."""
