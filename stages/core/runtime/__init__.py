"""Where a stage runs: device, threads, memory."""
