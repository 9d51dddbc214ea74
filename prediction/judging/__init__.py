"""A model as judge: what it is told, how its reply is read, what it costs."""
