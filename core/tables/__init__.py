"""Tables in and out: declared columns, CSV, JSON Lines and Parquet, a data dictionary and a manifest."""

from core.tables.columns import Column, Kind, Table
from core.tables.dictionary import data_dictionary, dictionary_markdown
from core.tables.headers import column_names
from core.tables.manifests import check_manifest, manifest, write_manifest
from core.tables.plain import TableError
from core.tables.read import read_table, stream_table
from core.tables.spec import InputColumn, Row, TableSpec
from core.tables.write import Format, Written, write_table

__all__ = [
    "Column",
    "Format",
    "InputColumn",
    "Kind",
    "Row",
    "Table",
    "TableError",
    "TableSpec",
    "Written",
    "check_manifest",
    "column_names",
    "data_dictionary",
    "dictionary_markdown",
    "manifest",
    "read_table",
    "stream_table",
    "write_manifest",
    "write_table",
]
