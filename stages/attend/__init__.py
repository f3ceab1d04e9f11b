"""What models of tasks attend to: maps and statistics (Clark et al. 3; Kovaleva et al. 4.1)."""
