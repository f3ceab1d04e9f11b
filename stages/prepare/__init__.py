"""Examples of tasks: written here, from files, from the Hub."""
