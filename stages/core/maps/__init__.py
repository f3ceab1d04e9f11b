"""What is measured on attention maps; each stage depends on the modules that it uses."""
