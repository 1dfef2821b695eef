"""What of this machine's system every contained player may read, and no more."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt",
    "/nix/store", "/gnu/store", "/snap",
)  # fmt: skip
"""Programs and libraries, wherever a distribution keeps them."""
_SETTINGS = (
    # the loader, alternatives, users, time and languages
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ld.so.preload", "alternatives",
    "passwd", "group", "nsswitch.conf", "localtime", "timezone", "locale.alias", "os-release",
    # what runtimes look for; of ssl nothing that is secret
    "java*", "python3*", "mono", "ghc*", "mime.types", "crypto-policies",
    "ssl/openssl.cnf", "ssl/certs", "ca-certificates", "pki/tls/certs", "pki/tls/openssl.cnf",
    "pki/java", "pki/ca-trust/extracted",
)  # fmt: skip
_KERNEL = (
    "/proc/cpuinfo", "/proc/filesystems", "/proc/loadavg", "/proc/meminfo", "/proc/stat",
    "/proc/sys", "/proc/uptime", "/proc/version", "/sys/devices/system", "/sys/fs/cgroup",
    "/sys/kernel/mm/transparent_hugepage", "/sys/kernel/mm/hugepages",
)  # fmt: skip
"""What runtimes ask about the machine, and nothing about its processes."""
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
"""Devices every player may read and write."""


@cache
def programs() -> tuple[str, ...]:
    """The folders of this system's programs and libraries, as they are named here."""
    return tuple(path for path in _SYSTEM if Path(path).exists())


@cache
def settings() -> tuple[str, ...]:
    """Files and folders below /etc that programs need, as they are named here; nothing secret."""
    etc = Path("/etc")
    return tuple(str(path) for name in _SETTINGS for path in sorted(etc.glob(name)))


@cache
def kernel() -> tuple[str, ...]:
    """What of /proc and /sys tells a runtime about the machine it runs on."""
    return tuple(path for path in _KERNEL if Path(path).exists())
