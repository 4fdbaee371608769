"""What can be wrong with an input. Each error is one sentence for the user."""


class Refused(Exception):
    """The input is damaged, of another kind, or missing."""


class NotProved(Exception):
    """The certificate is sound as a file, but what it claims does not follow from it."""
