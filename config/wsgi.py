"""The web application that gunicorn serves."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

from config.charsets import Utf8Only

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = Utf8Only(get_wsgi_application())
