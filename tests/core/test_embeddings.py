"""Embedders: the same vectors as the reference, whatever the company, and nothing loaded before it is needed."""

from __future__ import annotations

import csv
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.canonical import text_sha256
from core.embeddings import NoVector, VectorFile, WrongFile, described, embedder, unit_rows
from core.embeddings import wordpiece as wordpiece_module
from core.embeddings.fromendpoint import BATCH, EndpointEmbedder
from core.embeddings.minilm import DIMENSION, MAXIMUM_TOKENS, MiniLM
from core.embeddings.wordpiece import load
from core.endpoints import EndpointError
from core.errors import BadInput, Invalid
from tests.core.fake_endpoint import FakeEndpoint, Says

ROOT = Path(__file__).resolve().parents[2]
PARAPHRASES = [
    ("Taxes on the rich should go up.", "Wealthy people ought to pay more tax."),
    ("I think you should wait before you marry.", "Don't rush into a wedding."),
    ("Working from home makes me more productive.", "I get more done when I do not have to go to the office."),
    ("Social media harms young people.", "Teenagers are damaged by apps like Instagram."),
]


@pytest.fixture
def fake() -> Iterator[FakeEndpoint]:
    with FakeEndpoint() as server:
        yield server


class TestTokenizer:
    """Ids as the reference implementation (tokenizers 0.23.3) gives them for the vendored file."""

    @pytest.mark.parametrize(
        ("text", "ids"),
        [
            ("", [101, 102]),
            ("  \t\n", [101, 102]),
            ("Unaffable, isn't it?", [101, 14477, 20961, 3468, 1010, 3475, 1005, 1056, 2009, 1029, 102]),
            (
                "Cr\xe8me br\xfbl\xe9e \u0130stanbul \u0391\u03a3",
                [101, 13675, 21382, 7987, 9307, 2063, 9960, 1155, 29733, 102],
            ),
            (
                "\u4e2d\u6587 and \u65e5\u672c\u8a9e mixed\u6f22\u5b57",
                [101, 1746, 1861, 1998, 1864, 1876, 1950, 3816, 1904, 100, 102],
            ),
            ("a\x00b\x0bc\x85d\u200be\ufffdf\u2028g\u3000h", [101, 5925, 3207, 2546, 1043, 1044, 102]),
            ("[CLS] x [SEP][MASK] [mask]", [101, 101, 1060, 102, 103, 1031, 7308, 1033, 102]),
            (
                "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                [
                    101,
                    22038,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    20348,
                    102,
                ],
            ),
            (
                "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                [101, 100, 102],
            ),
            (
                "$5.00-worth\u2026\u201cquoted\u201d",
                [101, 1002, 1019, 1012, 4002, 1011, 4276, 1529, 1523, 9339, 1524, 102],
            ),
            ("\U0001f44d\U0001f3fd ok \u2122", [101, 100, 7929, 1580, 102]),
            ("e\u0301 \u0378 \xdf\u1e9e", [101, 1041, 100, 1096, 19310, 102]),
            ("don\u2019t ##ing", [101, 2123, 1521, 1056, 1001, 1001, 13749, 102]),
        ],
    )
    def test_ids_are_those_of_the_reference(self, text: str, ids: list[int]) -> None:
        assert load(maximum_tokens=256).encode(text) == (ids, False)

    def test_a_long_text_loses_its_end_and_says_so(self) -> None:
        ids, is_cut = load(maximum_tokens=8).encode("word " * 20)

        assert (len(ids), ids[0], ids[-1], is_cut) == (8, 101, 102, True)

    def test_a_text_that_just_fits_is_whole(self) -> None:
        assert load(maximum_tokens=8).encode("word " * 6)[1] is False

    def test_another_file_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "tokenizer.json").write_bytes(wordpiece_module.TOKENIZER.read_bytes() + b"\n")

        with pytest.raises(WrongFile, match="SHA-256"):
            load(tmp_path / "tokenizer.json", maximum_tokens=8)

    def test_a_missing_file_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(WrongFile, match=r"gone\.json"):
            load(tmp_path / "gone.json", maximum_tokens=8)


class TestMiniLM:
    def test_rows_are_unit_vectors_in_the_order_of_the_texts(self) -> None:
        texts = ["one", "two", "one"]

        vectors = embedder().encode(texts)

        assert (vectors.shape, vectors.dtype) == ((3, DIMENSION), np.float32)
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)
        assert (vectors[0] == vectors[2]).all()
        assert (vectors[0] != vectors[1]).any()

    def test_company_changes_no_bit(self) -> None:
        texts = ["short", "a much longer text about something else entirely " * 5, "", "ß 中 👍🏽"]

        together = embedder().encode(texts)

        assert all((embedder().encode([text])[0] == row).all() for text, row in zip(texts, together, strict=True))

    def test_paraphrases_are_nearer_than_anything_else(self) -> None:
        first, second = (embedder().encode([pair[side] for pair in PARAPHRASES]) for side in (0, 1))

        cosines = first @ second.T

        others = cosines[~np.eye(len(PARAPHRASES), dtype=bool)]
        assert np.diag(cosines).min() > others.max() + 0.1

    def test_nothing_gives_no_rows(self) -> None:
        assert embedder().encode([]).shape == (0, DIMENSION)

    def test_texts_that_lose_their_end_are_counted(self) -> None:
        assert MiniLM().n_truncated(["short", "word " * MAXIMUM_TOKENS]) == 1

    def test_its_hash_covers_weights_and_tokenizer(self) -> None:
        about = described(embedder("minilm"))

        assert about["id"] == "all-MiniLM-L6-v2-onnx-int8"
        assert set(about["parts"]) == {"model", "tokenizer", "maximum_tokens", "pooling"}
        assert about["sha256"] == "05ea58ae83cd80e592dfb471714d32d487c60008ce4a99284167366cd64f157d"

    def test_other_weights_are_refused(self, tmp_path: Path) -> None:
        (tmp_path / "model.onnx").write_bytes(b"not it")

        with pytest.raises(WrongFile, match="SHA-256"):
            MiniLM(tmp_path / "model.onnx").encode(["text"])

    def test_missing_weights_are_named(self, tmp_path: Path) -> None:
        with pytest.raises(WrongFile, match=r"gone\.onnx"):
            MiniLM(tmp_path / "gone.onnx").encode(["text"])

    def test_nothing_is_loaded_before_the_first_text(self) -> None:
        program = (
            "import os; os.environ['DJANGO_SETTINGS_MODULE'] = 'tests.settings'; import django; django.setup();"
            "import sys; from core.embeddings import embedder; embedder(); print('onnxruntime' in sys.modules)"
        )

        done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120)

        assert done.stdout.strip() == "False", done.stderr

    @pytest.mark.shared
    def test_vectors_are_those_published_beside_the_data(self, shared: Path) -> None:
        folder = shared / "data" / "aut_socialmuse"
        with (folder / "aut_unaided_3047.csv").open(encoding="utf-8", newline="") as file:
            texts = [row["idea_content"] for row in csv.DictReader(file)]
        published = unit_rows(np.load(folder / "emb_minilm_int8_f16.npy"))
        assert len(texts) == len(published) == 3047

        some = list(range(0, 3047, 5))
        ours = embedder().encode([texts[number] for number in some])

        # Theirs are stored in half precision, whose rounding moves a coordinate by at most about 1e-4.
        assert (ours * published[some]).sum(axis=1).min() > 0.999999
        assert np.abs(ours - published[some]).max() < 3e-4


class TestVectorFile:
    TEXTS = ["first", "second"]
    VECTORS = [[3.0, 4.0], [0.0, 2.0]]

    def hashes(self) -> list[str]:
        return [text_sha256(text) for text in self.TEXTS]

    def npy(self, folder: Path, *, hashes: list[str] | None = None, vectors: Any = None) -> Path:
        np.save(folder / "v.npy", np.array(self.VECTORS if vectors is None else vectors))
        (folder / "v.sha256").write_text("\n".join(self.hashes() if hashes is None else hashes))
        return folder / "v.npy"

    def parquet(self, folder: Path) -> Path:
        import pyarrow as pa
        import pyarrow.parquet as parquet

        parquet.write_table(pa.table({"text_sha256": self.hashes(), "vector": self.VECTORS}), folder / "v.parquet")
        return folder / "v.parquet"

    @pytest.mark.parametrize("kind", ["npy", "parquet"])
    def test_vectors_are_found_by_their_text(self, tmp_path: Path, kind: str) -> None:
        found = VectorFile(getattr(self, kind)(tmp_path))

        assert found.encode(["second", "first", "second"]) == pytest.approx(
            np.array([[0, 1], [0.6, 0.8], [0, 1]]), abs=1e-6
        )
        assert found.id == f"vectors:v.{kind}"
        assert found.parts["file"] == hashlib.sha256((tmp_path / f"v.{kind}").read_bytes()).hexdigest()

    def test_the_hash_follows_the_content(self, tmp_path: Path) -> None:
        before = VectorFile(self.npy(tmp_path)).sha256

        assert VectorFile(self.npy(tmp_path, vectors=[[1.0, 0.0], [0.0, 1.0]])).sha256 != before

    def test_a_text_without_a_vector_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(NoVector, match=r"2 of the texts, such as “third”"):
            VectorFile(self.npy(tmp_path)).encode(["first", "third", "fourth"])

    @pytest.mark.parametrize(
        ("values", "word"),
        [
            ({"hashes": ["0" * 64]}, "do not fit"),
            ({"hashes": ["0" * 64, "x" * 64]}, "no SHA-256"),
            ({"hashes": ["0" * 64, "0" * 64]}, "twice"),
            ({"vectors": [[0.0, 0.0], [1.0, 1.0]]}, "zero"),
            ({"vectors": [[np.nan, 0.0], [1.0, 1.0]]}, "not finite"),
            ({"vectors": [1.0, 2.0]}, "do not fit"),
            ({"vectors": [["a"], ["b"]]}, "do not fit"),
            ({"vectors": np.empty((0, 2)), "hashes": []}, "do not fit"),
        ],
        ids=lambda value: str(value)[:40],
    )
    def test_what_is_wrong_is_said(self, tmp_path: Path, values: dict[str, Any], word: str) -> None:
        with pytest.raises(BadInput, match=word):
            VectorFile(self.npy(tmp_path, **values))

    def test_pickled_objects_are_not_run(self, tmp_path: Path) -> None:
        path = self.npy(tmp_path)
        np.save(path, np.array([{"a": 1}, None], dtype=object), allow_pickle=True)

        with pytest.raises(BadInput):
            VectorFile(path)

    @pytest.mark.parametrize("name", ["gone.npy", "gone.parquet", "other.txt"])
    def test_a_file_that_is_none_is_named(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(BadInput, match=name):
            VectorFile(tmp_path / name)

    def test_a_table_without_the_columns_is_refused(self, tmp_path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as parquet

        parquet.write_table(pa.table({"text": ["a"]}), tmp_path / "v.parquet")

        with pytest.raises(BadInput):
            VectorFile(tmp_path / "v.parquet")


class TestEndpoint:
    def test_each_different_text_is_asked_once(self, fake: FakeEndpoint) -> None:
        texts = [f"t{number}" for number in range(BATCH + 6)]

        vectors = EndpointEmbedder(fake.endpoint()).encode([*texts, *texts])

        assert [len(received.data["input"]) for received in fake.requests] == [BATCH, 6]
        assert (vectors[: len(texts)] == vectors[len(texts) :]).all()
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)

    def test_a_vector_without_direction_is_a_bad_reply(self, fake: FakeEndpoint) -> None:
        fake.then(Says(body={"data": [{"index": 0, "embedding": [0.0, 0.0]}]}))

        with pytest.raises(EndpointError) as raised:
            EndpointEmbedder(fake.endpoint()).encode(["a"])

        assert raised.value.code == "bad_reply"

    def test_nothing_asks_nothing(self, fake: FakeEndpoint) -> None:
        assert EndpointEmbedder(fake.endpoint()).encode([]).shape[0] == 0
        assert fake.n_calls == 0


class TestNames:
    def test_the_setting_is_the_default(self, settings: Any, fake: FakeEndpoint) -> None:
        settings.ENDPOINTS = {"fake": fake.endpoint(model="by-setting")}
        settings.EMBEDDER = "endpoint:fake"

        assert embedder().id == "endpoint:by-setting"

    def test_it_may_name_a_file(self, settings: Any, tmp_path: Path) -> None:
        settings.EMBEDDER = f"vectors:{TestVectorFile().npy(tmp_path)}"

        assert embedder().id == "vectors:v.npy"

    def test_a_name_from_elsewhere_opens_no_file(self, tmp_path: Path) -> None:
        path = TestVectorFile().npy(tmp_path)

        with pytest.raises(Invalid, match="minilm"):
            embedder(f"vectors:{path}")

    @pytest.mark.parametrize("name", ["mpnet", "endpoint:", "vectors:", ":", "MINILM"])
    def test_an_unknown_name_is_refused(self, name: str) -> None:
        with pytest.raises(Invalid, match="minilm"):
            embedder(name)

    def test_an_unknown_endpoint_is_refused(self) -> None:
        with pytest.raises(EndpointError):
            embedder("endpoint:gone")

    def test_it_is_loaded_once(self) -> None:
        assert embedder("minilm") is embedder("minilm")


def test_the_vendored_vocabulary_is_bert_uncased() -> None:
    vocabulary = json.loads(wordpiece_module.TOKENIZER.read_bytes())["model"]["vocab"]

    assert (len(vocabulary), vocabulary["[CLS]"], vocabulary["the"]) == (30522, 101, 1996)
