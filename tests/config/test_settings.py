"""Settings that would be dangerous do not start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KEY = "k" * 40 + "0123456789abcdefghij"


def settings_with(tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Print a few settings as a fresh process sees them in `environment`."""
    program = (
        "from config import settings as s;"
        "print(s.ALLOWED_HOSTS, s.CSRF_TRUSTED_ORIGINS, s.SESSION_COOKIE_SECURE, s.SECURE_SSL_REDIRECT, s.DEBUG)"
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("POLYPHONY_", "DATABASE_"))}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=ROOT,
        env={**kept, "POLYPHONY_VAR_DIR": str(tmp_path), **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_by_default_the_copy_is_local_and_shows_no_settings(tmp_path: Path) -> None:
    done = settings_with(tmp_path)

    assert done.stdout.strip() == (
        "['localhost', '127.0.0.1', '[::1]', '127.0.0.1'] ['http://127.0.0.1:8000'] False False False"
    )


def test_in_production_cookies_need_tls_and_the_public_address_is_a_host(tmp_path: Path) -> None:
    done = settings_with(
        tmp_path,
        POLYPHONY_PRODUCTION="1",
        POLYPHONY_SECRET_KEY=KEY,
        POLYPHONY_PUBLIC_URL="https://study.example.org/",
        POLYPHONY_HOSTS="web",
    )

    assert done.stdout.strip() == "['web', 'study.example.org'] ['https://study.example.org'] True True False"
    assert not (tmp_path / "secret-key").exists()


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({"POLYPHONY_PRODUCTION": "1"}, "POLYPHONY_SECRET_KEY (or POLYPHONY_SECRET_KEY_FILE) must be set"),
        (
            {"POLYPHONY_PRODUCTION": "1", "POLYPHONY_SECRET_KEY": KEY, "POLYPHONY_DEBUG": "1"},
            "POLYPHONY_DEBUG shows settings to everyone",
        ),
        ({"POLYPHONY_PUBLIC_URL": "study.example.org"}, "POLYPHONY_PUBLIC_URL is 'study.example.org': write"),
        ({"POLYPHONY_LOG_LEVEL": "LOUD"}, "POLYPHONY_LOG_LEVEL is 'LOUD': write one of"),
        ({"POLYPHONY_DATABASE_MAX_AGE": "-1"}, "POLYPHONY_DATABASE_MAX_AGE is '-1': write a whole number"),
    ],
    ids=["no key", "debug", "address", "level", "age"],
)
def test_a_dangerous_or_senseless_setting_says_so(environment: dict[str, str], sentence: str, tmp_path: Path) -> None:
    done = settings_with(tmp_path, **environment)

    assert done.returncode == 1
    assert sentence in done.stderr
