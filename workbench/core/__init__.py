"""Rules in two engines, positions, drafts. Knows no game."""
