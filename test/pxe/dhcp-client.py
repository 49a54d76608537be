"""Requests an address as a machine's firmware does, and prints the answers as JSON lines, for tests of DHCP servers.

Arguments: INTERFACE MAC ARCHITECTURE (DHCP's option 93) CLASS (option 60, `-` for none) [ipxe]
"""
import json
import random
import socket
import struct
import sys
import time

interface, mac_text, architecture, vendor = sys.argv[1:5]
is_ipxe = "ipxe" in sys.argv[5:]
mac = bytes.fromhex(mac_text.replace(":", ""))
transaction = random.randbytes(4)


def option(number, content):
    return bytes([number, len(content)]) + content


def checksum(content):
    total = sum(struct.unpack(f"!{len(content) // 2}H", content))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def discover():
    options = option(53, b"\x01") + option(55, bytes([1, 3, 6, 15, 42, 43, 60, 66, 67]))
    if vendor != "-":
        options += option(60, vendor.encode()) + option(93, struct.pack("!H", int(architecture))) + option(94, b"\x01\x03\x00")
        options += option(97, b"\x00" + mac + bytes(10))
    if is_ipxe:
        options += option(175, b"\xb1\x05\x01\x80\x86\x10\x0e")
    dhcp = struct.pack("!BBBB4sHH16x16s64x128x4s", 1, 1, 6, 0, transaction, 0, 0x8000, mac, b"\x63\x82\x53\x63") + options + b"\xff"
    dhcp = dhcp.ljust(300, b"\0")
    udp = struct.pack("!HHHH", 68, 67, 8 + len(dhcp), 0) + dhcp
    head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 1, 0, 64, 17, 0, bytes(4), b"\xff" * 4)
    head = head[:10] + struct.pack("!H", checksum(head)) + head[12:]
    return b"\xff" * 6 + mac + b"\x08\x00" + head + udp


def answer(frame):
    """Returns the answer in a frame, or None if the frame does not answer this request."""
    if frame[12:14] != b"\x08\x00" or frame[23] != 17:
        return None
    udp = 14 + (frame[14] & 15) * 4
    if frame[udp:udp + 4] != struct.pack("!HH", 67, 68) or frame[udp + 12:udp + 16] != transaction:
        return None
    dhcp, options, at = frame[udp + 8:], {}, 240
    while at < len(dhcp) and dhcp[at] != 255:
        if dhcp[at] == 0:
            at += 1
            continue
        options[dhcp[at]] = dhcp[at + 2:at + 2 + dhcp[at + 1]]
        at += 2 + dhcp[at + 1]
    dotted = lambda raw: ".".join(map(str, raw))
    text = lambda raw: raw.split(b"\0")[0].decode(errors="replace")
    return {
        "server": dotted(options.get(54, b"")),
        "address": dotted(dhcp[16:20]),
        "file": text(options.get(67, b"")) or text(dhcp[108:236]),
        "class": text(options.get(60, b"")),
        "router": dotted(options.get(3, b"")),
        "menu": options.get(43, b"").hex(),
    }


sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
sock.bind((interface, 0))
seen = []
for _ in range(2):
    sock.send(discover())
    until = time.time() + 4
    while time.time() < until:
        sock.settimeout(max(0.05, until - time.time()))
        try:
            found = answer(sock.recv(4096))
        except socket.timeout:
            break
        if found and found not in seen:
            seen.append(found)
            print(json.dumps(found), flush=True)
    if seen:
        break
sys.exit(0)
