"""Containers and their network, out of what Linux has: a network namespace for each container, all
of them on a bridge that is in a namespace of its own, so that the machine's network is as before.
"""

import ctypes
import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

INSIDE = pathlib.Path(__file__).with_name("inside.py")
PREFIX = "gauss-test"
SUBNET = "10.213.7"
FIRST_ADDRESS = 10
PR_SET_PDEATHSIG = 1


class Failed(Exception):
    """Something is not as it should be; the message says what."""


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, **options)


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


class Network:
    """A bridge, names, and the namespaces of those who are connected to it."""

    def __init__(self, directory: pathlib.Path):
        remove_leftovers()
        self.prefix = f"{PREFIX}-{os.getpid()}"
        self.switch = f"{self.prefix}-switch"
        self.client = f"{self.prefix}-client"
        self.namespaces = []
        self.ports = itertools.count(1)
        self.addresses = itertools.count(FIRST_ADDRESS)
        self.hosts = directory / "hosts"
        self.names = {}
        self._write()
        self._add(self.switch)
        run("ip", "-n", self.switch, "link", "add", "br0", "type", "bridge")
        run("ip", "-n", self.switch, "link", "set", "br0", "up")
        self._add(self.client)
        self.connect(self.client, f"{SUBNET}.1")

    def _add(self, namespace):
        run("ip", "netns", "add", namespace)
        self.namespaces.append(namespace)
        run("ip", "-n", namespace, "link", "set", "lo", "up")

    def new_address(self) -> str:
        return f"{SUBNET}.{next(self.addresses)}"

    def namespace(self, name) -> str:
        namespace = f"{self.prefix}-{name}"
        self._add(namespace)
        return namespace

    def connect(self, namespace, address) -> None:
        port = f"port{next(self.ports)}"
        run("ip", "-n", self.switch, "link", "add", port, "type", "veth",
            "peer", "name", "eth0", "netns", namespace)
        run("ip", "-n", self.switch, "link", "set", port, "master", "br0", "up")
        run("ip", "-n", namespace, "address", "add", f"{address}/24", "dev", "eth0")
        run("ip", "-n", namespace, "link", "set", "eth0", "up")

    def remove(self, namespace) -> None:
        run("ip", "netns", "delete", namespace)
        self.namespaces.remove(namespace)

    def name(self, name, address) -> None:
        """A running container is found by its service's name; one that is down is not."""
        if address is None:
            self.names.pop(name, None)
        else:
            self.names[name] = address
        self._write()

    def _write(self):
        lines = ["127.0.0.1 localhost"] + [f"{a} {n}" for n, a in self.names.items()]
        # In place, since containers have this very file mounted.
        with open(self.hosts, "w" if not self.hosts.exists() else "r+", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
            file.truncate()

    def close(self) -> None:
        for namespace in list(self.namespaces):
            self.remove(namespace)


def remove_leftovers() -> None:
    """Namespaces of a test that was killed; its processes have ended with it."""
    names = run("ip", "netns", "list", capture_output=True, text=True).stdout
    for line in names.splitlines():
        name = line.split()[0]
        parts = name.split("-")
        if name.startswith(PREFIX + "-") and not pathlib.Path("/proc", parts[2]).exists():
            run("ip", "netns", "delete", name)


class Container:
    """What a service of a compose file describes, from the image's file system."""

    def __init__(self, service, image, rootfs, network, directory, volumes, secrets):
        self.service = service
        self.image = image["config"]
        self.rootfs = rootfs
        self.network = network
        self.directory = directory / service.name
        self.directory.mkdir()
        self.volumes = volumes
        self.secrets = secrets
        self.log = self.directory / "log"
        self.address = None
        self.namespace = None
        self.process = None
        self.starts = 0
        self.environment = dict(entry.split("=", 1) for entry in self.image["Env"])
        self.environment.update(service.environment)
        self.user = service.user or self.image.get("User") or "root"
        self.uid, self.gid, self.environment["HOME"] = self._account()

    def _account(self):
        for line in (self.rootfs / "etc/passwd").read_text().splitlines():
            name, _, uid, gid, _, home, _ = line.split(":")
            if name == self.user:
                return int(uid), int(gid), home
        raise Failed(f"the image has no user {self.user}")

    def _mounts(self):
        """Volumes of the file, and nameless ones for what the image wants to be volumes."""
        mounts = {m.target: (m.volume, m.read_only) for m in self.service.mounts}
        for target in self.image.get("Volumes") or {}:
            mounts.setdefault(target, (f"{self.service.name}{target.replace('/', '-')}", False))
        for target, (volume, read_only) in mounts.items():
            yield str(self._volume(volume, target)), target, read_only

    def _volume(self, name, target) -> pathlib.Path:
        """A new volume begins as what the image has there, with owner and rights."""
        volume = self.volumes / name
        if not volume.exists():
            origin = self.rootfs / target.lstrip("/")
            if origin.is_dir():
                run("cp", "--archive", origin, volume)
            else:
                volume.mkdir(mode=0o755)
        return volume

    def start(self, address=None) -> None:
        """Starts it, at a new address unless one is given."""
        self.starts += 1
        own = self.directory / f"start-{self.starts}"
        own.mkdir()
        resolver = self.directory / "resolv.conf"
        resolver.touch()
        binds = list(self._mounts())
        binds.append((str(self.network.hosts), "/etc/hosts", True))
        binds.append((str(resolver), "/etc/resolv.conf", True))
        for name in self.service.secrets:
            binds.append((str(self.secrets[name]), f"/run/secrets/{name}", True))
        command = self.image["Entrypoint"] + (self.service.command or self.image["Cmd"])
        spec = own / "spec.json"
        spec.write_text(json.dumps({
            "directory": str(own), "rootfs": str(self.rootfs), "hostname": self.service.name,
            "binds": binds, "tmpfs": self.service.tmpfs, "read_only": self.service.read_only,
            "working_directory": self.image.get("WorkingDir") or "/",
            "uid": self.uid, "gid": self.gid, "command": command,
            "environment": self.environment,
            "without_capabilities": self.service.without_capabilities,
            "no_new_privileges": self.service.no_new_privileges,
        }))
        self.namespace = self.network.namespace(self.service.name)
        if self.service.has_network:
            self.address = address or self.network.new_address()
            self.network.connect(self.namespace, self.address)
            self.network.name(self.service.name, self.address)
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                ["ip", "netns", "exec", self.namespace, "unshare", "--mount", "--uts", "--ipc",
                 "--pid", "--fork", "--kill-child=SIGKILL", sys.executable, INSIDE, str(spec)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                start_new_session=True, preexec_fn=die_with_parent)

    def first_process(self) -> int | None:
        """Of the container, by its number outside; None when there is none."""
        if self.process is None or self.process.poll() is not None:
            return None
        children = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        try:
            numbers = pathlib.Path(children).read_text().split()
        except FileNotFoundError:
            return None
        return int(numbers[0]) if numbers else None

    def exit_code(self) -> int | None:
        return None if self.process is None else self.process.poll()

    def execute(self, *command, **options):
        """Runs a command in it as `docker exec` does."""
        first = self.first_process()
        if first is None:
            raise Failed(f"{self.service.name} does not run")
        return subprocess.run(
            ["nsenter", "--target", str(first), "--mount", "--uts", "--ipc", "--pid", "--net",
             f"--root=/proc/{first}/root", f"--wdns={self.image.get('WorkingDir') or '/'}",
             "--setuid", str(self.uid), "--setgid", str(self.gid), *map(str, command)],
            env=self.environment, capture_output=True, text=True, check=False, **options)

    def is_healthy(self) -> bool:
        """Whether the image's own health check succeeds now."""
        if self.first_process() is None:
            return False
        kind, *check = self.image["Healthcheck"]["Test"]
        if kind != "CMD":
            raise Failed(f"health check of kind {kind}")
        seconds = self.image["Healthcheck"]["Timeout"] / 1e9
        try:
            return self.execute(*check, timeout=seconds).returncode == 0
        except (subprocess.TimeoutExpired, Failed):
            return False

    def kill(self) -> None:
        """kill -9, and all that a container has besides its volumes is gone."""
        first = self.first_process()
        if first is not None:
            os.kill(first, signal.SIGKILL)
        self.process.wait()
        self._gone()

    def stop(self) -> int:
        """SIGTERM, as long as the file grants; returns the exit code."""
        first = self.first_process()
        if first is not None:
            os.kill(first, signal.SIGTERM)
        try:
            code = self.process.wait(self.service.grace_seconds)
        except subprocess.TimeoutExpired as late:
            raise Failed(f"{self.service.name} did not stop in its time of grace") from late
        self._gone()
        return code

    def _gone(self):
        if self.namespace is not None:
            self.network.name(self.service.name, None)
            self.network.remove(self.namespace)
            self.namespace = None
        shutil.rmtree(self.directory / f"start-{self.starts}", ignore_errors=True)

    def reap(self) -> None:
        """It has ended by itself."""
        self.process.wait()
        self._gone()

    def close(self) -> None:
        first = self.first_process()
        if first is not None:
            os.kill(first, signal.SIGKILL)
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._gone()

    def tail(self, lines=25) -> str:
        if not self.log.exists():
            return ""
        text = self.log.read_text(errors="replace").splitlines()[-lines:]
        return "".join(f"  {self.service.name}: {line}\n" for line in text)


class Deadline:
    def __init__(self, seconds):
        self.end = time.monotonic() + seconds

    def await_(self, what, condition, interval=0.5):
        """Waits until a condition holds, and returns what it gives."""
        while True:
            found = condition()
            if found:
                return found
            if time.monotonic() > self.end:
                raise Failed(f"in vain waited for: {what}")
            time.sleep(interval)
