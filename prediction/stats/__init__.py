"""How well ratings are predicted: pure statistics, arrays and keys in, frozen results out."""
