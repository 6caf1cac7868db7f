"""Campaigns: many sessions under one plan. This is what they are, and what comes next."""
