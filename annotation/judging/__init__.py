"""Language models as raters: what they are sent, how their replies are read, what it takes to ask them."""
