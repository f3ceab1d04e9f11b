"""Where a stage runs: device, threads, memory, a cluster, what it keeps to go on from."""
