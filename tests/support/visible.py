#!/usr/bin/env python3
"""visible.py ARCHIVE COPY: copies a static library and makes every hidden name that it defines visible.

The modules are compiled with hidden names, as they are shipped. A shared library of them would export nothing, and the
linker has no option for that. So this changes the two bits of each symbol in the copy. The code stays the same.
"""

import struct
import sys

SYMBOL_TABLE = 2  # SHT_SYMTAB
LOCAL = 0  # STB_LOCAL
UNIQUE = 10  # STB_GNU_UNIQUE: statics of templates, which code reads in a way that hidden names alone allow
ABSENT = 0  # SHN_UNDEF: __dso_handle and the like are defined by the linker or another object, and stay hidden
VISIBILITY = 3  # the bits of st_other; 0 is the default, which is visible


def members(archive):
    """Yields the place of each ELF file in the archive."""
    if archive[:8] != b"!<arch>\n":
        sys.exit("visible.py: not an archive")
    at = 8
    while at + 60 <= len(archive):
        size = int(archive[at + 48 : at + 58])
        at += 60
        if archive[at : at + 4] == b"\x7fELF":
            yield at
        at += size + size % 2


def show(archive, at):
    """Makes the names of the ELF file at a place visible. It has 64 bits and is little endian."""
    if archive[at + 4 : at + 6] != b"\x02\x01":
        sys.exit("visible.py: not a 64-bit little-endian object")
    (sections,) = struct.unpack_from("<Q", archive, at + 40)
    entry, count = struct.unpack_from("<HH", archive, at + 58)
    for section in range(count or struct.unpack_from("<Q", archive, at + sections + 32)[0]):
        kind, _, _, start, size = struct.unpack_from("<IQQQQ", archive, at + sections + section * entry + 4)
        if kind != SYMBOL_TABLE:
            continue
        for symbol in range(at + start, at + start + size, 24):
            info, other, home = struct.unpack_from("<BBH", archive, symbol + 4)
            if info >> 4 not in (LOCAL, UNIQUE) and home != ABSENT:
                archive[symbol + 5] = other & ~VISIBILITY


def main():
    with open(sys.argv[1], "rb") as file:
        archive = bytearray(file.read())
    for at in members(archive):
        show(archive, at)
    with open(sys.argv[2], "wb") as file:
        file.write(archive)


main()
