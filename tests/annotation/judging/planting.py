"""A frozen packet with a model as its only rater, in another copy: `python -m tests.annotation.judging.planting N`."""

from __future__ import annotations

import os
import sys


def plant(n: int) -> str:
    """Make the tables and the packet; the code of the rater."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    from tests.annotation.audits import frozen, judge

    packet = frozen(n=n, slug="kill", raters_per_item=0)
    return judge(packet, endpoint="fake", model="fake-1").code


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import django

    django.setup()
    print(plant(int(sys.argv[1])))
