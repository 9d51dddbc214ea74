"""The settings of the tests: those of the house, with cheap passwords and a folder of their own."""

from __future__ import annotations

import hashlib
import os
import tempfile

# Each test process gets its own folder, which its child processes share and which is gone when it
# ends; nothing is read from or left in var/.
_owner = os.environ.get("PYTEST_XDIST_WORKER", "main")
if os.environ.get("POLYPHONY_TEST_OWNER") != _owner:
    _scratch = tempfile.TemporaryDirectory(prefix="polyphony-tests-", ignore_cleanup_errors=True)
    os.environ["POLYPHONY_TEST_OWNER"] = _owner
    os.environ["POLYPHONY_VAR_DIR"] = _scratch.name

from config.settings import *  # noqa: E402, F403
from config.settings import BASE_DIR as _BASE_DIR  # noqa: E402
from config.settings import DATABASES as _DATABASES  # noqa: E402
from config.settings import STORAGES as _STORAGES  # noqa: E402

# Hashed names would need a collected copy before the first page can be rendered.
STORAGES = {
    **_STORAGES,
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
# WhiteNoise otherwise looks for the folder of collected files, which tests do not have.
WHITENOISE_AUTOREFRESH = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# Two copies tested at once on one server must not drop each other's database.
if _DATABASES["default"]["NAME"] == "postgres":
    _copy = hashlib.sha256(str(_BASE_DIR).encode()).hexdigest()[:8]
    _DATABASES["default"]["TEST"] = {"NAME": f"test_polyphony_{_copy}"}
