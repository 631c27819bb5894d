"""What a compose file says, as far as the test can do it; anything else in the file is an error."""

import dataclasses
import pathlib
import re

import yaml

TIMES = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}
KNOWN = {
    "image", "build", "user", "command", "environment", "ports", "volumes", "read_only", "tmpfs",
    "depends_on", "restart", "secrets", "cap_drop", "security_opt", "network_mode",
    "stop_grace_period", "healthcheck",
}
CONDITIONS = {"service_started", "service_healthy", "service_completed_successfully"}


class Unknown(Exception):
    """The file wants something that this test cannot do."""


@dataclasses.dataclass(frozen=True)
class Mount:
    volume: str
    target: str
    read_only: bool


@dataclasses.dataclass(frozen=True)
class Service:
    name: str
    image: str
    user: str | None
    command: list[str] | None
    environment: dict[str, str]
    ports: list[tuple[str, int, int]]
    mounts: list[Mount]
    tmpfs: list[tuple[str, str]]
    read_only: bool
    depends_on: dict[str, str]
    restart: str
    secrets: list[str]
    without_capabilities: bool
    no_new_privileges: bool
    has_network: bool
    is_checked: bool
    grace_seconds: float


@dataclasses.dataclass(frozen=True)
class Compose:
    name: str
    services: dict[str, Service]
    secret_files: dict[str, pathlib.Path]


def load(file: pathlib.Path) -> Compose:
    content = yaml.safe_load(file.read_text())
    _only(content, {"name", "services", "volumes", "secrets"}, file.name, extensions=True)
    volumes = set(content.get("volumes") or {})
    secrets = {name: file.parent / what["file"] for name, what in content["secrets"].items()}
    services = {
        name: _service(name, what, volumes, secrets) for name, what in content["services"].items()
    }
    for service in services.values():
        for other in service.depends_on:
            if other not in services:
                raise Unknown(f"{service.name} depends on {other}, which is no service")
    return Compose(content["name"], services, secrets)


def _only(mapping, known, where, extensions=False):
    for key in mapping:
        if key not in known and not (extensions and key.startswith("x-")):
            raise Unknown(f"{where}: {key}")


def _service(name, what, volumes, secrets) -> Service:
    _only(what, KNOWN, name)
    security = what.get("security_opt", [])
    dropped = what.get("cap_drop", [])
    restart = what.get("restart", "no")
    health = what.get("healthcheck", {})
    network = what.get("network_mode")
    _require(name, "security_opt", set(security) <= {"no-new-privileges:true"})
    _require(name, "cap_drop", dropped in ([], ["ALL"]))
    _require(name, "restart", restart in ("no", "unless-stopped"))
    _require(name, "healthcheck", health in ({}, {"disable": True}))
    _require(name, "network_mode", network in (None, "none"))
    depends_on = {other: how["condition"] for other, how in what.get("depends_on", {}).items()}
    _require(name, "depends_on", set(depends_on.values()) <= CONDITIONS)
    _require(name, "secrets", set(what.get("secrets", [])) <= set(secrets))
    return Service(
        name=name,
        image=what["image"],
        user=what.get("user"),
        command=what.get("command"),
        environment={key: str(value) for key, value in what.get("environment", {}).items()},
        ports=[_port(name, port) for port in what.get("ports", [])],
        mounts=[_mount(name, mount, volumes) for mount in what.get("volumes", [])],
        tmpfs=[tuple((entry + ":").split(":")[:2]) for entry in what.get("tmpfs", [])],
        read_only=what.get("read_only", False),
        depends_on=depends_on,
        restart=restart,
        secrets=what.get("secrets", []),
        without_capabilities=bool(dropped),
        no_new_privileges=bool(security),
        has_network=network is None,
        is_checked=not health,
        grace_seconds=seconds(what.get("stop_grace_period", "10s")),
    )


def _require(service, key, holds):
    if not holds:
        raise Unknown(f"{service}: {key}")


def _port(name, text):
    parts = text.split(":")
    _require(name, f"port {text}", len(parts) == 3)
    return parts[0], int(parts[1]), int(parts[2])


def _mount(name, text, volumes) -> Mount:
    source, target, *mode = text.split(":")
    _require(name, f"volume {text}", source in volumes and mode in ([], ["ro"]))
    return Mount(source, target, bool(mode))


def seconds(text: str) -> float:
    number, unit = re.fullmatch(r"(\d+)([a-z]+)", text).groups()
    return int(number) * TIMES[unit]
