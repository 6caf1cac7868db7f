"""The functional core: values go in, values come out. It uses no I/O, clock or randomness."""
