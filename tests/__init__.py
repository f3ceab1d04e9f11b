"""Tests; what torch must find settled before it is imported is settled first."""

import stages  # noqa: F401
