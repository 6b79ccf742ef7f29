"""Records as bytes: compressed where that pays, with a checksum by which damage is found."""

import zlib

from infra.errors import CorruptRecord

_WORTH_PACKING = 512
"""Bytes from which compression pays."""

_LONGEST_UNPACKED = 64 * 1024 * 1024
"""Bytes beyond which a record is none of ours: nothing is unpacked further, however small it is when packed."""

_CHECKSUM_BYTES = 4


def pack(data: bytes) -> bytes:
    """Give the record of some bytes, compressed where that makes it smaller."""
    packed = zlib.compress(data, 1) if len(data) >= _WORTH_PACKING else data
    # A compressed text ends with a checksum of its own.
    return b"z" + packed if len(packed) < len(data) else b"p" + _checksum(data) + data


def unpack(record: bytes) -> bytes:
    """Give the bytes of a record; raises `CorruptRecord` for anything that `pack` did not write."""
    form, rest = record[:1], record[1:]
    if form == b"p":
        data = rest[_CHECKSUM_BYTES:]
        if _checksum(data) != rest[:_CHECKSUM_BYTES]:
            raise CorruptRecord("it was changed or cut short")
        return data
    if form != b"z":
        raise CorruptRecord("it is of no form that we write")
    decompressor = zlib.decompressobj()
    try:
        data = decompressor.decompress(rest, _LONGEST_UNPACKED)
    except zlib.error as wrong:
        raise CorruptRecord("it was changed") from wrong
    if not decompressor.eof or decompressor.unused_data:
        raise CorruptRecord("it was changed, cut short, or is far too long")
    return data


def _checksum(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(_CHECKSUM_BYTES)
