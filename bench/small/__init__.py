"""Small honest goals: how often is honest work asked about, or refused?"""
