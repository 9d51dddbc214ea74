"""What is claimed about speed, beside a peer or the naive way."""
