"""Database, broker and key from their addresses."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from kombu import Connection

from config import engines


def test_without_an_address_the_data_are_in_sqlite_under_the_var_folder(tmp_path: Path) -> None:
    found = engines.database("", var_dir=tmp_path, max_age_s=60)

    assert found["NAME"] == tmp_path / "polyphony.sqlite3"
    assert found["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert found["OPTIONS"]["timeout"] == 20
    assert "journal_mode=WAL" in found["OPTIONS"]["init_command"]
    assert "synchronous=NORMAL" in found["OPTIONS"]["init_command"]


def test_a_sqlite_address_gets_the_same_options(tmp_path: Path) -> None:
    found = engines.database(f"sqlite:///{tmp_path}/other.sqlite3", var_dir=tmp_path, max_age_s=60)

    assert found["NAME"] == f"{tmp_path}/other.sqlite3"
    assert found["OPTIONS"]["transaction_mode"] == "IMMEDIATE"


@pytest.mark.parametrize("url", ["", "sqlite:////somewhere/other.sqlite3"])
def test_sqlite_keeps_its_connections_too(url: str, tmp_path: Path) -> None:
    assert engines.database(url, var_dir=tmp_path, max_age_s=60)["CONN_MAX_AGE"] == 60


def test_postgresql_keeps_its_connections_and_checks_them(tmp_path: Path) -> None:
    found = engines.database("postgres://me:secret@db:5433/studies", var_dir=tmp_path, max_age_s=60)

    assert (found["HOST"], found["PORT"], found["NAME"]) == ("db", 5433, "studies")
    assert (found["CONN_MAX_AGE"], found["CONN_HEALTH_CHECKS"]) == (60, True)


@pytest.mark.parametrize("url", ["mysql://me:secret@db/studies", "me:secret@db", "gopher://me:secret@db/"])
def test_another_database_is_refused_without_repeating_its_password(url: str, tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match="must read postgres://") as error:
        engines.database(url, var_dir=tmp_path, max_age_s=60)

    assert "secret" not in str(error.value)


@pytest.mark.parametrize("url", ["redis://localhost:6379/0", "amqp://guest:guest@localhost//"])
def test_redis_and_rabbitmq_are_taken_as_they_are(url: str, tmp_path: Path) -> None:
    assert engines.broker(url, var_dir=tmp_path) == (url, {})


def test_an_unknown_broker_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"starts with kafka://: use filesystem, redis"):
        engines.broker("kafka://localhost", var_dir=tmp_path)


def test_a_message_waits_in_the_folders_of_the_default_broker(tmp_path: Path) -> None:
    url, options = engines.broker("", var_dir=tmp_path)
    with Connection(url, transport_options=options) as connection, connection.SimpleQueue("q") as queue:
        queue.put("hello")
        message = queue.get(timeout=5)
        message.ack()

    assert message.payload == "hello"
    assert str(tmp_path) in options["data_folder_in"]
    assert options["data_folder_in"] == options["data_folder_out"]


def test_the_key_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    var_dir = tmp_path / "new folder"

    key = engines.secret_key(var_dir)

    assert len(key) >= 50
    assert engines.secret_key(var_dir) == key
    assert stat.S_IMODE((var_dir / "secret-key").stat().st_mode) == 0o600
    assert stat.S_IMODE(var_dir.stat().st_mode) == 0o700
    assert [path.name for path in var_dir.iterdir()] == ["secret-key"]


def test_processes_that_start_at_once_agree_on_the_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(engines.secret_key, [tmp_path] * 16))

    assert len(keys) == 1


def test_an_empty_key_file_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "secret-key").write_text("")

    with pytest.raises(ImproperlyConfigured, match="holds no usable key: delete the file"):
        engines.secret_key(tmp_path)


def test_plans_of_statements_are_kept_unless_a_pooler_forbids_it(tmp_path):
    url = "postgres://me:secret@db:5433/studies"
    kept = engines.database(url, var_dir=tmp_path, max_age_s=60, prepare_after=3)["OPTIONS"]
    assert kept == {"server_side_binding": True, "prepare_threshold": 3}
    assert engines.database(url, var_dir=tmp_path, max_age_s=60, prepare_after=0)["OPTIONS"] == {}
