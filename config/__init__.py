"""Wiring and nothing else: settings, addresses, the task queue, the web server."""
