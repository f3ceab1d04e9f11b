"""Code that rooms share. Imports only go down: nothing here imports a room."""
