"""silence.py READY ASKED: a name server in this network namespace that hears and never answers.

READY is made when it can be asked, ASKED at the first question.
"""
import fcntl
import socket
import struct
import sys

SIOCSIFFLAGS = 0x8914
IFF_UP = 1

name_server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
fcntl.ioctl(name_server, SIOCSIFFLAGS, struct.pack("16sH22x", b"lo", IFF_UP))
name_server.bind(("127.0.0.53", 53))
open(sys.argv[1], "w").close()
while True:
    name_server.recv(4096)
    open(sys.argv[2], "w").close()
