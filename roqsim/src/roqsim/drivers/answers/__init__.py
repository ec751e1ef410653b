"""What can be asked without a run: is a world right, what does it need, what is installed, what is wrong here."""
