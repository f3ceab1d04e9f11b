"""Where a stage runs: device, threads, memory, processes, what it keeps to go on from."""
