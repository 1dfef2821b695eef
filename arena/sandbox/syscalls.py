"""The numbers of the system calls that a player does without, by machine.

Source: the kernel's `arch/x86/entry/syscalls/syscall_64.tbl` and `scripts/syscall.tbl`.
"""

from __future__ import annotations

MACHINES = ("x86_64", "aarch64")
"""As `os.uname().machine` has them, in the order of each row below."""

_NUMBERS: dict[str, tuple[int | None, int | None]] = {
    "acct": (163, 89), "add_key": (248, 217), "adjtimex": (159, 171),
    "bind": (49, 200), "bpf": (321, 280),
    "chmod": (90, None), "chown": (92, None), "chroot": (161, 51), "clock_adjtime": (305, 266),
    "clock_settime": (227, 112), "clone": (56, 220), "clone3": (435, 435),
    "delete_module": (176, 106), "fanotify_init": (300, 262), "fchmod": (91, 52),
    "fchmodat": (268, 53), "fchmodat2": (452, 452), "fchown": (93, 55), "fchownat": (260, 54),
    "file_setattr": (469, 469), "finit_module": (313, 273), "fremovexattr": (199, 16),
    "fsconfig": (431, 431), "fsetxattr": (190, 7), "fsmount": (432, 432), "fsopen": (430, 430),
    "fspick": (433, 433), "futimesat": (261, None), "init_module": (175, 105),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "io_uring_setup": (425, 425),
    "ioperm": (173, None), "iopl": (172, None), "ioprio_set": (251, 30), "kcmp": (312, 272),
    "kexec_file_load": (320, 294), "kexec_load": (246, 104), "keyctl": (250, 219),
    "lchown": (94, None), "lookup_dcookie": (212, 18), "lremovexattr": (198, 15),
    "lsetxattr": (189, 6), "migrate_pages": (256, 238), "mount": (165, 40),
    "mount_setattr": (442, 442), "move_mount": (429, 429), "move_pages": (279, 239),
    "mq_open": (240, 180), "msgget": (68, 186), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "open_tree": (428, 428), "open_tree_attr": (467, 467),
    "perf_event_open": (298, 241), "pidfd_getfd": (438, 438), "pivot_root": (155, 41),
    "prlimit64": (302, 261), "process_madvise": (440, 440), "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271), "ptrace": (101, 117), "quotactl": (179, 60),
    "quotactl_fd": (443, 443), "reboot": (169, 142), "removexattr": (197, 14),
    "removexattrat": (466, 466), "request_key": (249, 218), "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274), "sched_setparam": (142, 118), "sched_setscheduler": (144, 119),
    "semget": (64, 190), "setdomainname": (171, 162), "sethostname": (170, 161),
    "setns": (308, 268), "setpriority": (141, 140), "settimeofday": (164, 170),
    "setxattr": (188, 5), "setxattrat": (463, 463), "shmget": (29, 194), "socket": (41, 198),
    "socketpair": (53, 199), "swapoff": (168, 225), "swapon": (167, 224), "syslog": (103, 116),
    "umount2": (166, 39), "unshare": (272, 97), "userfaultfd": (323, 282), "utime": (132, None),
    "utimensat": (280, 88), "utimes": (235, None), "vhangup": (153, 58),
}  # fmt: skip


def numbers(machine: str) -> dict[str, int]:
    """The number of each call that `machine`, one of MACHINES, has."""
    column = MACHINES.index(machine)
    found = ((name, row[column]) for name, row in _NUMBERS.items())
    return {name: number for name, number in found if number is not None}
