"""Doubles that tests put in the place of disks, ledgers and clocks."""
