"""Multiple-choice questions of tasks of kind `choice`: written here, from files, from the Hub."""
