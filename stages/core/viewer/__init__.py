"""The views of attention as a page's script draws them (Vig 2019, part one).

`static/` has a file a view; `assets` puts them together for the pages of rooms.
"""
