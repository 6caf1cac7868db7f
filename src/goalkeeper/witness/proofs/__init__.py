"""Judges of artifacts: bytes in, verdict out.

They show that an artifact can be what it claims to be, not that it is true: a picture can be
drawn and a transcript written. What is empty, broken, or made to hurt its reader is found here.
"""
