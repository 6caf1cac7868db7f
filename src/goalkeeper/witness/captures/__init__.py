"""Judges of artifacts: bytes in, verdict out.

They show that an artifact can be what it claims to be, not that it is true: a picture can be
drawn and a transcript written. They refuse what is empty or broken, or would harm its reader.
"""
