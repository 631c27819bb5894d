"""Becomes the first process of a container: runs in namespaces of its own, with a JSON file that
says what the container is, makes its file system, gives up rights, and is replaced by its program.
"""

import ctypes
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys

PR_SET_PDEATHSIG = 1
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
CAPABILITIES = 64
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
# What Docker mounts a tmpfs with unless it is told otherwise.
TMPFS = "nosuid,nodev,noexec"


def mount(*arguments):
    subprocess.run(["mount", *map(str, arguments)], check=True)


def bind(source, target: pathlib.Path, read_only):
    if pathlib.Path(source).is_dir():
        target.mkdir(parents=True, exist_ok=True)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
    mount("--bind", source, target)
    if read_only:
        mount("-o", "remount,bind,ro", target)


def file_system(spec) -> pathlib.Path:
    own = pathlib.Path(spec["directory"])
    root = own / "root"
    for name in ("root", "upper", "work"):
        (own / name).mkdir(exist_ok=True)
    layers = f"lowerdir={spec['rootfs']},upperdir={own}/upper,workdir={own}/work"
    mount("-t", "overlay", "overlay", "-o", layers, root)
    inside = lambda path: root / path.lstrip("/")
    for directory in ("proc", "sys", "dev", "tmp"):
        inside(directory).mkdir(exist_ok=True)
    mount("-t", "proc", "proc", inside("proc"))
    mount("-t", "sysfs", "-o", "ro", "sysfs", inside("sys"))
    mount("-t", "tmpfs", "-o", "nosuid,mode=755", "tmpfs", inside("dev"))
    for device in DEVICES:
        bind(f"/dev/{device}", inside(f"dev/{device}"), read_only=False)
    inside("dev/fd").symlink_to("/proc/self/fd")
    for source, target, read_only in spec["binds"]:
        bind(source, inside(target), read_only)
    for target, options in spec["tmpfs"]:
        inside(target).mkdir(parents=True, exist_ok=True)
        mount("-t", "tmpfs", "-o", ",".join(filter(None, [TMPFS, options])), "tmpfs", inside(target))
    if spec["read_only"]:
        mount("-o", "remount,ro", root)
    return root


def prctl(option, value):
    return ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def main():
    spec = json.loads(pathlib.Path(sys.argv[1]).read_text())
    mount("--make-rprivate", "/")
    socket.sethostname(spec["hostname"])
    root = file_system(spec)
    os.chroot(root)
    os.chdir(spec["working_directory"])
    if spec["without_capabilities"]:
        for capability in range(CAPABILITIES):
            prctl(PR_CAPBSET_DROP, capability)
    os.setgroups([])
    os.setgid(spec["gid"])
    os.setuid(spec["uid"])
    # Who changes the user loses what unshare has set for it: to end when unshare ends.
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if spec["no_new_privileges"]:
        prctl(PR_SET_NO_NEW_PRIVS, 1)
    os.umask(0o022)
    os.execve(spec["command"][0], spec["command"], spec["environment"])


main()
