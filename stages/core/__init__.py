"""What the stages share. Imports only go down: nothing here imports a stage."""
