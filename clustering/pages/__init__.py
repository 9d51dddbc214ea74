"""From results to what a page prints: rounding, labels and words happen here and nowhere below."""
