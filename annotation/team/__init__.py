"""The team's pages of an audit."""
