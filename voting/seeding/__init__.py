"""Seed statements written by a model from people's responses to other questions, each let in by a person.

The protocol of the Overton paper, appendix C.2: one example response in every prompt, drawn without replacement.
"""
