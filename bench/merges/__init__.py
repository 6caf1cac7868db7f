"""Pairs of sessions, each proven alone: which merges does the queue of a campaign refuse?"""
