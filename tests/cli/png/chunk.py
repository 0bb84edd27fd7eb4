"""chunk.py IN OUT TYPE HEX: copies a PNG with one more chunk behind its header."""
import struct
import sys
import zlib

source, target, name, text = sys.argv[1:]
data = name.encode() + bytes.fromhex(text)
png = open(source, "rb").read()
chunk = struct.pack(">I", len(data) - 4) + data + struct.pack(">I", zlib.crc32(data))
open(target, "wb").write(png[:33] + chunk + png[33:])
