"""From the outcomes under every gate to effects with intervals (K8, K9, T2, T3, T4, T9)."""
