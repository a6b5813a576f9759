"""What a person sees of a game. `text` draws a table of characters."""
