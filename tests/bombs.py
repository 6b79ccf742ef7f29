"""Packed zeros, a thousand times as long unpacked: one packed MiB over and over, which packs them in no time."""

import struct
import zlib

MIB = 2**20


def zlib_bomb(mib: int) -> bytes:
    """Give so many MiB of zeros as `zlib.compress` would pack them."""
    # Adler-32 of nothing but zeros: their sum and 1, and how many they are.
    return b"\x78\xda" + _deflated(mib) + struct.pack(">HH", mib * MIB % 65_521, 1)


def gzip_bomb(mib: int) -> bytes:
    """Give so many MiB of zeros as `gzip.compress` would pack them."""
    head = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
    return head + _deflated(mib) + struct.pack("<II", zlib.crc32(bytes(mib * MIB)), mib * MIB)


def _deflated(mib: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    piece = packer.compress(bytes(MIB)) + packer.flush(zlib.Z_FULL_FLUSH)
    return piece * mib + zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS).flush()
