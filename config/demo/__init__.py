"""`make demo`: one process that prepares everything, starts web and worker, and ends what it started."""
