"""The views of attention (Vig 2019, part one): what they show, as tables and text; the script."""
