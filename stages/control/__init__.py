"""What the tables about heads say of an encoder that began with random weights."""
