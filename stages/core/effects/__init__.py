"""What turning heads off does: effects with intervals, and their cheap estimate by gradients."""
