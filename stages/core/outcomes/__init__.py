"""What a model predicted under every gate, and the effects that follow."""
