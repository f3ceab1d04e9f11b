"""The encoders whose attention on text is studied: the checkpoint, and one of random weights."""
