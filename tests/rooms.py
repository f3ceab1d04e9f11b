"""Rooms that no pipeline runs yet: their sections stand in no params.yaml."""

AWAITED = frozenset({"readers", "reading"})
