"""Long-form tables of data collected elsewhere: recognised, read and checked, compared with what is stored, written."""
