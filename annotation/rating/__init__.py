"""What raters see and do: ways in, consent, practice, judging, their own answers. Nothing hidden is read here."""
