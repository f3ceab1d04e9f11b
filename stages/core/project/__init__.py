"""What every stage reads: parameters, tasks, examples, files."""
