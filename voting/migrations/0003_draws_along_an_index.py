from django.db import migrations

NAME = "voting_statement_draw"


def make_index(apps, schema_editor):
    """Let PostgreSQL walk statements by code point; SQLite's order of text is that anyway, and its copies are small."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(
            f'CREATE INDEX {NAME} ON voting_statement (question_id, status, code COLLATE "C")',
        )


def drop_index(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"DROP INDEX {NAME}")


class Migration(migrations.Migration):
    # Not an index of the model: its collation is PostgreSQL's alone.
    dependencies = [
        ("voting", "0002_generated_seeds"),
    ]

    operations = [
        migrations.RunPython(make_index, drop_index),
    ]
