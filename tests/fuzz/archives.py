"""Archives, made anew: what stands in them, and what they claim."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import warnings
import zipfile
from functools import partial
from random import Random

from tests.fuzz.raw import ByteMutator, flip, insert, truncate
from tests.fuzz.values import WORDS

_NAMES = (
    *(
        "a.txt",
        "corpus/gold.m2",
        "corpus/sub/x.txt",
        "b.m2",
        "../x",
        "/etc/x",
        "C:\\x",
        "a\\..\\..\\b",
        "./a",
        "a/",
        ".",
    ),
    *(
        "x" * 255,
        "x" * 300,
        "d/" * 200 + "f",
        "\udcff.txt",
        "a//b",
        " ",
        "naïve.txt",
        "a.txt",
        "a.txt/b",
        "a.txt\x1b[2J",
    ),
)


def make_tar(rng: Random, data: bytes) -> bytes:
    """A tar, plain or packed, of members with odd names, links and sizes."""
    made = io.BytesIO()
    kind = rng.choice((tarfile.GNU_FORMAT, tarfile.PAX_FORMAT))
    with tarfile.open(fileobj=made, mode="w", format=kind, errors="surrogateescape") as tar:
        for number in range(rng.choice((1, 2, 3, 5, 2000 if rng.random() < 0.05 else 5))):
            info = tarfile.TarInfo(_name(rng, number))
            info.size = len(data[:1000])
            roll = rng.random()
            if roll < 0.1:
                info.type, info.linkname, info.size = tarfile.SYMTYPE, _name(rng, number), 0
            elif roll < 0.15:
                info.type, info.linkname, info.size = tarfile.LNKTYPE, _name(rng, number), 0
            elif roll < 0.25:
                info.type, info.size = tarfile.DIRTYPE, 0
            elif roll < 0.28:
                info.type, info.size = rng.choice((tarfile.FIFOTYPE, tarfile.CHRTYPE)), 0
            tar.addfile(info, io.BytesIO(data[: info.size]))
    return rng.choice((bytes, partial(gzip.compress, mtime=0), bz2.compress, lzma.compress))(made.getvalue())


def make_zip(rng: Random, data: bytes) -> bytes:
    """A zip of members with odd names, links, methods and claims."""
    made = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(made, "w") as archive:
        warnings.simplefilter("ignore")  # two members of one name are meant
        for number in range(rng.randint(1, 4)):
            info = zipfile.ZipInfo(_name(rng, number).encode(errors="replace").decode() or "x")
            info.compress_type = rng.choice(
                (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
            )
            if rng.random() < 0.1:
                info.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(info, data[:1000])
    whole = bytearray(made.getvalue())
    if rng.random() < 0.2:  # encrypted, or of another method, as the directory at the end has it
        at = whole.rfind(b"PK\x01\x02")
        whole[at + rng.choice((8, 10, 24))] ^= 1
    return bytes(whole)


def _name(rng: Random, number: int) -> str:
    roll = rng.random()
    if roll < 0.7:
        return f"corpus/{number}.txt"
    return rng.choice(_NAMES) if roll < 0.95 else rng.choice(WORDS).replace("\0", "") or "x"


GENTLE: tuple[ByteMutator, ...] = (make_tar, make_zip)
WILD: tuple[ByteMutator, ...] = (make_tar, make_zip, flip, insert, truncate)
