"""Kovaleva's five classes of attention maps, and the network that tells them apart."""
