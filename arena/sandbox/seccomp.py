"""Seccomp: a filter of system calls that a player and all it starts can never take off. It refuses
calls that no player needs or that get around the rest of a sandbox, and allows all others, for
every language's runtime. A classic BPF program. Source:
`include/uapi/linux/{seccomp,filter,audit}.h`.
"""

import ctypes
import errno
import os
import signal
import socket
import struct

from arena.sandbox.processes import no_new_privileges, prctl

MACHINES = ("x86_64", "aarch64")
"""Names as in `os.uname().machine`, in the order of each row below."""

_NUMBERS: dict[str, tuple[int | None, int | None]] = {
    "acct": (163, 89), "add_key": (248, 217), "adjtimex": (159, 171), "bind": (49, 200),
    "bpf": (321, 280), "chmod": (90, None), "chown": (92, None), "chroot": (161, 51),
    "clock_adjtime": (305, 266), "clock_settime": (227, 112), "clone": (56, 220),
    "clone3": (435, 435), "delete_module": (176, 106), "fanotify_init": (300, 262),
    "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452), "fchown": (93, 55),
    "fchownat": (260, 54), "fcntl": (72, 25), "file_setattr": (469, 469),
    "finit_module": (313, 273), "fremovexattr": (199, 16), "fsconfig": (431, 431),
    "fsetxattr": (190, 7), "fsmount": (432, 432), "fsopen": (430, 430), "fspick": (433, 433),
    "futimesat": (261, None), "init_module": (175, 105),
    "inotify_init": (253, None), "inotify_init1": (294, 26), "io_setup": (206, 0),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "io_uring_setup": (425, 425),
    "ioperm": (173, None),
    "iopl": (172, None), "ioprio_set": (251, 30), "kcmp": (312, 272), "kexec_file_load": (320, 294),
    "kexec_load": (246, 104), "keyctl": (250, 219), "kill": (62, 129), "lchown": (94, None),
    "lookup_dcookie": (212, 18), "lremovexattr": (198, 15), "lsetxattr": (189, 6),
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "migrate_pages": (256, 238),
    "mount": (165, 40), "mount_setattr": (442, 442), "move_mount": (429, 429),
    "move_pages": (279, 239), "mq_open": (240, 180), "mq_unlink": (241, 181), "msgctl": (71, 187),
    "msgget": (68, 186), "msgrcv": (70, 188), "msgsnd": (69, 189), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "open_tree": (428, 428), "open_tree_attr": (467, 467),
    "perf_event_open": (298, 241), "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424),
    "pivot_root": (155, 41), "prctl": (157, 167), "prlimit64": (302, 261),
    "process_madvise": (440, 440), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "ptrace": (101, 117), "quotactl": (179, 60), "quotactl_fd": (443, 443), "reboot": (169, 142),
    "removexattr": (197, 14), "removexattrat": (466, 466), "request_key": (249, 218),
    "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274), "sched_setparam": (142, 118), "sched_setscheduler": (144, 119),
    "semctl": (66, 191), "semget": (64, 190), "semop": (65, 193), "semtimedop": (220, 192),
    "setdomainname": (171, 162), "sethostname": (170, 161), "setns": (308, 268),
    "setpriority": (141, 140), "settimeofday": (164, 170), "setxattr": (188, 5),
    "setxattrat": (463, 463), "shmat": (30, 196), "shmctl": (31, 195), "shmdt": (67, 197),
    "shmget": (29, 194), "socket": (41, 198), "socketpair": (53, 199), "swapoff": (168, 225),
    "swapon": (167, 224), "syslog": (103, 116), "tgkill": (234, 131), "timer_create": (222, 107),
    "tkill": (200, 130), "umount2": (166, 39), "unshare": (272, 97), "userfaultfd": (323, 282),
    "utime": (132, None), "utimensat": (280, 88), "utimes": (235, None), "vhangup": (153, 58),
}  # fmt: skip

_PR_SET_SECCOMP, _MODE_FILTER = 22, 2
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO, _KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER_AT, _ARCH_AT, _ARGUMENTS_AT = 0, 4, 16
_ARCHES = dict(zip(MACHINES, (0xC000003E, 0xC00000B7), strict=True))
_X32 = 0x40000000  # calls of x86_64's other numbering, from here on

_NEVER = (
    # Into other processes
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp",
    "migrate_pages", "move_pages",
    # Other views of files, and around them
    "mount", "umount2", "pivot_root", "chroot", "open_tree", "open_tree_attr", "move_mount",
    "mount_setattr", "fsopen", "fsconfig", "fsmount", "fspick", "name_to_handle_at",
    "open_by_handle_at",
    # What others do with files; of leases, which make them wait, and notes `fcntl` is refused
    "fanotify_init", "inotify_init", "inotify_init1",
    # Other namespaces
    "unshare", "setns",
    # Wide doors into the kernel
    "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter",
    "io_uring_register", "lookup_dcookie",
    # What outlives the process: keys, System V and POSIX queues
    "keyctl", "add_key", "request_key", "mq_open", "mq_unlink",
    "shmget", "shmat", "shmctl", "shmdt", "semget", "semop", "semtimedop", "semctl",
    "msgget", "msgsnd", "msgrcv", "msgctl",
    # The machine itself
    "kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff", "init_module",
    "finit_module", "delete_module", "acct", "quotactl", "quotactl_fd", "syslog",
    "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname",
    "setdomainname", "iopl", "ioperm", "vhangup", "ioprio_set",
    # Of which there are few, for all users together
    "io_setup",
)  # fmt: skip
_ATTRIBUTES = (
    "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "lchown", "fchown", "fchownat",
    "utime", "utimes", "futimesat", "utimensat", "setxattr", "lsetxattr", "fsetxattr",
    "setxattrat", "removexattr", "lremovexattr", "fremovexattr", "removexattrat", "file_setattr",
)  # fmt: skip
_OWN_ONLY = {
    "prlimit64": 0, "sched_setscheduler": 0, "sched_setparam": 0, "sched_setattr": 0,
    "setpriority": 1,
}  # fmt: skip
"""Calls that may change other processes of the same user, and which argument must be 0, itself.
`sched_setscheduler` to SCHED_OTHER, which Mono asks for each thread, is answered and not made.
"""
_DATAGRAMS = 0x2
"""The bit that only sockets for datagrams have (SOCK_DGRAM, SOCK_RAW). One of a pair of them can
still send to any name."""
_CLONE_REFUSED = 0x7E0280EE
"""Flags of `clone`: mount, cgroup, UTS, IPC, user, pid and network namespaces; a child of one's
parent (CLONE_PARENT); and all signals at its end but SIGCHLD (17) and none."""
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_F_SETSIG, _F_SETLEASE, _F_NOTIFY = 10, 1024, 1026
_SIGNALLING = {
    "kill": 1, "tkill": 1, "tgkill": 2, "rt_sigqueueinfo": 1, "rt_tgsigqueueinfo": 2,
    "pidfd_send_signal": 1,
}  # fmt: skip
"""Calls that send a signal, and which argument it is."""
_IN_MEMORY = ("memfd_create", "memfd_secret")


def numbers(machine: str) -> dict[str, int]:
    """The number of each call that `machine`, one of MACHINES, has."""
    rows = ((name, row[MACHINES.index(machine)]) for name, row in _NUMBERS.items())
    return {name: number for name, number in rows if number is not None}


def here() -> str | None:
    """The machine we run on, where a filter can be made for it, else None."""
    machine = os.uname().machine
    # A 32-bit Python on a 64-bit kernel makes other calls than the machine's name says.
    return machine if machine in MACHINES and ctypes.sizeof(ctypes.c_void_p) == 8 else None


def program(
    machine: str,
    *,
    own_cores: bool,
    unix_sockets: bool,
    attributes: bool,
    thaws: bool = False,
    memory_files: bool = False,
) -> bytes:
    """The filter for `machine`, one of MACHINES, as an array of `struct sock_filter`. Refused are,
    with EPERM (sockets: EACCES): all sockets but those of UNIX, other processes' memory and limits,
    mounts, namespaces, ways out of its tree of processes, leases of files and notes of what others
    do with them, and calls that change the whole machine. Allowed are, where asked: `own_cores`, to
    choose cores, where a cpuset bounds them; `unix_sockets` with names (pairs of streams always),
    where no other process's name is in sight; `attributes`, to change modes, owners and times,
    where all files it can name are its own; `thaws`, all that can send SIGCONT, where no signals
    stop it; `memory_files` without a name, where they count as its memory.
    """
    number = numbers(machine)
    refused = _NEVER + (() if own_cores else ("sched_setaffinity",))
    refused += () if attributes else _ATTRIBUTES
    refused += () if memory_files else _IN_MEMORY
    refused += () if thaws else ("timer_create",)
    code = _unless(_ARCHES[machine], _return(_KILL_PROCESS), load=_ARCH_AT)
    code += _load(_NUMBER_AT)
    if machine == "x86_64":
        code += _when(_AT_LEAST, _X32, _refuse(errno.ENOSYS))
    # It hides its flags from us; where it does not exist, libraries use `clone`.
    code += _when(_EQUAL, number["clone3"], _refuse(errno.ENOSYS))
    clone = _load(_argument(0)) + _when(_ANY_BIT, _CLONE_REFUSED, _refuse(errno.EPERM))
    code += _when(_EQUAL, number["clone"], clone + _return(_ALLOW))
    for option in (_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER):
        code += _refused_argument(number["prctl"], 0, option)
    for command in (_F_SETLEASE, _F_NOTIFY):
        code += _refused_argument(number["fcntl"], 1, command)
    if not thaws:
        code += _refused_argument(number["fcntl"], 1, _F_SETSIG)
        for name, argument in _SIGNALLING.items():
            code += _refused_argument(number[name], argument, signal.SIGCONT)
    for name, argument in _OWN_ONLY.items():
        refusal = _refuse(errno.EPERM)
        if name == "sched_setscheduler":
            refusal = _load(_argument(1)) + _when(_EQUAL, os.SCHED_OTHER, _return(_ERRNO)) + refusal
        own = _unless(0, refusal, load=_argument(argument))
        if name == "setpriority":  # its first argument: a process, and no group or user
            own += _unless(0, _refuse(errno.EPERM), load=_argument(0))
        code += _when(_EQUAL, number[name], own + _return(_ALLOW))
    unix = _unless(socket.AF_UNIX, _refuse(errno.EACCES), load=_argument(0))
    sockets = unix + _return(_ALLOW) if unix_sockets else _refuse(errno.EACCES)
    code += _when(_EQUAL, number["socket"], sockets)
    pairs = unix
    if not unix_sockets:
        pairs += _load(_argument(1)) + _when(_ANY_BIT, _DATAGRAMS, _refuse(errno.EACCES))
        code += _when(_EQUAL, number["bind"], _refuse(errno.EACCES))
    code += _when(_EQUAL, number["socketpair"], pairs + _return(_ALLOW))
    for name in refused:
        if name in number:
            code += _when(_EQUAL, number[name], _refuse(errno.EPERM))
    return code + _return(_ALLOW)


def _refused_argument(number: int, index: int, value: int) -> bytes:
    """Refuse one call where an argument has that value; the call's number is loaded after it."""
    refused = _when(_EQUAL, value, _refuse(errno.EPERM))
    return _when(_EQUAL, number, _load(_argument(index)) + refused + _load(_NUMBER_AT))


def _load(offset: int) -> bytes:
    return _instruction(_LOAD, offset)


def _argument(index: int) -> int:  # the lower half, which is all that an `int` of the kernel takes
    return _ARGUMENTS_AT + 8 * index


def _return(action: int) -> bytes:
    return _instruction(_RETURN, action)


def _refuse(error: int) -> bytes:
    return _return(_ERRNO | error)


def _when(test: int, value: int, then: bytes) -> bytes:
    return _instruction(test, value, jump_else=len(then) // 8) + then


def _unless(value: int, then: bytes, *, load: int) -> bytes:
    return _load(load) + _instruction(_EQUAL, value, jump_true=len(then) // 8) + then


def _instruction(code: int, value: int, *, jump_true: int = 0, jump_else: int = 0) -> bytes:
    return struct.pack("=HBBI", code, jump_true, jump_else, value)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def install(instructions: bytes) -> None:
    """Put a filter on this process, and all it will start, for ever. Raises OSError."""
    filter_ = _Program(len(instructions) // 8, instructions)
    no_new_privileges()
    prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(filter_))


def descriptor(instructions: bytes) -> int:
    """A new file to read a filter from, for `bwrap --seccomp`; the caller closes it."""
    fd = os.memfd_create("seccomp")
    os.write(fd, instructions)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
