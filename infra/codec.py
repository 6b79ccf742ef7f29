"""Records as bytes: compressed if worthwhile, with a checksum that reveals damage."""

import zlib

from infra.errors import CorruptRecord

_WORTH_PACKING = 512
"""The least number of bytes that are worth compressing."""

_LONGEST_UNPACKED = 64 * 1024 * 1024
"""The most bytes of a record: decompression stops there, however small the compressed record is."""

_CHECKSUM_BYTES = 4


def pack(data: bytes) -> bytes:
    """Give the record of some bytes, compressed if that makes it smaller."""
    packed = zlib.compress(data, 1) if len(data) >= _WORTH_PACKING else data
    # A compressed text ends with its own checksum.
    return b"z" + packed if len(packed) < len(data) else b"p" + _checksum(data) + data


def unpack(record: bytes) -> bytes:
    """Give the bytes of a record; raises `CorruptRecord` for anything that `pack` did not write."""
    form, rest = record[:1], record[1:]
    if form == b"p":
        data = rest[_CHECKSUM_BYTES:]
        if _checksum(data) != rest[:_CHECKSUM_BYTES]:
            raise CorruptRecord("it was changed or truncated")
        return data
    if form != b"z":
        raise CorruptRecord("it has an unknown form")
    decompressor = zlib.decompressobj()
    try:
        data = decompressor.decompress(rest, _LONGEST_UNPACKED)
    except zlib.error as wrong:
        raise CorruptRecord("it was changed") from wrong
    if not decompressor.eof or decompressor.unused_data:
        raise CorruptRecord("it was changed, truncated, or is far too long")
    return data


def _checksum(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(_CHECKSUM_BYTES)
