"""What figures say in words: titles, definitions, labels of numbers, texts. Pages, files and reports share it."""
