"""Builds the image of docker/Dockerfile by buildah, without a registry of images.

The base image is a stand-in: a Debian of mmdebstrap's making with this machine's JDK 25, under the
base image's name.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess

# Home of the user who builds in the image, not of who runs this.
BUILDER_HOME = "/root"

JDK_IN_IMAGE = "/opt/java/openjdk"
SEARCH_PATH = f"{JDK_IN_IMAGE}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def find_jdk() -> pathlib.Path | None:
    """The JDK 25 that the launcher would take, or None."""
    javac = shutil.which("javac")
    candidates = [os.environ.get("GAUSS_JAVA_HOME"), os.environ.get("JAVA_HOME")]
    candidates.append(javac and pathlib.Path(javac).resolve().parent.parent)
    candidates.extend(sorted(pathlib.Path("/usr/lib/jvm").glob("*")))
    for candidate in candidates:
        if candidate:
            release = pathlib.Path(candidate) / "release"
            has_compiler = (pathlib.Path(candidate) / "bin/javac").exists()
            if has_compiler and release.exists():
                if re.search(r'^JAVA_VERSION="25[".]', release.read_text(), re.MULTILINE):
                    return pathlib.Path(candidate).resolve()
    return None


class Images:
    """Images below a directory of their own, so that nothing of the machine's is touched."""

    def __init__(self, home: pathlib.Path, work: pathlib.Path, log):
        self.home = home
        self.work = work
        self.log = log

    def _buildah(self, *arguments, answer=False):
        command = ["buildah", "--root", f"{self.work}/storage", "--runroot", f"{self.work}/runroot"]
        command += ["--storage-driver", "vfs", *map(str, arguments)]
        if answer:
            return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        subprocess.run(command, check=True, stdout=self.log, stderr=subprocess.STDOUT)
        return None

    def _has(self, name) -> bool:
        names = self._buildah("images", "--all", "--format", "{{.Name}}:{{.Tag}}", answer=True)
        return name in names.split()

    def base_name(self) -> str:
        text = (self.home / "docker/Dockerfile").read_text()
        return re.search(r"^ARG JDK_IMAGE=(\S+)$", text, re.MULTILINE).group(1)

    def base(self, jdk: pathlib.Path) -> None:
        """Makes the stand-in for the base image unless an earlier run has made it."""
        name = self.base_name()
        if self._has(name):
            return
        tar = self.work / "debian.tar"
        release = pathlib.Path("/etc/os-release").read_text()
        suite = re.search(r"^VERSION_CODENAME=(\S+)$", release, re.MULTILINE).group(1)
        # The JDK's image has these certificates, and with them openssl.
        subprocess.run(
            ["mmdebstrap", "--variant=minbase", "--include=ca-certificates", suite, tar],
            check=True, stdout=self.log, stderr=subprocess.STDOUT)
        copy = self.work / "jdk"
        shutil.rmtree(copy, ignore_errors=True)
        # With what its links point to, as the certificates that this machine trusts.
        shutil.copytree(jdk, copy, ignore=shutil.ignore_patterns("src.zip", "jmods", "demo", "man"))
        container = self._buildah("from", "scratch", answer=True)
        self._buildah("add", "--quiet", container, tar, "/")
        self._buildah("copy", "--quiet", container, copy, JDK_IN_IMAGE)
        self._buildah(
            "config", "--env", f"JAVA_HOME={JDK_IN_IMAGE}", "--env", f"PATH={SEARCH_PATH}",
            "--env", "LANG=C.UTF-8", container)
        self._buildah("commit", "--quiet", "--rm", "--format", "docker", container, name)
        tar.unlink()
        shutil.rmtree(copy)

    def build(self, name: str) -> None:
        """Builds the real Dockerfile; dependencies come from this machine's Maven directory."""
        self._buildah("rm", "--all")  # what a run has left that was killed
        maven = pathlib.Path.home() / ".m2"
        maven.mkdir(exist_ok=True)
        self._buildah(
            "bud", "--isolation", "chroot", "--format", "docker", "--layers=false", "--pull-never",
            "--volume", f"{maven}:{BUILDER_HOME}/.m2:O", "--file", self.home / "docker/Dockerfile",
            "--tag", name, self.home)
        self._buildah("rmi", "--prune", "--force")  # the image that had this name before

    def inspect(self, name: str) -> dict:
        text = self._buildah("inspect", "--type", "image", name, answer=True)
        return json.loads(text)["Docker"]

    def file_system(self, name: str) -> pathlib.Path:
        """The image's files, not to be written to. The driver vfs has each layer whole."""
        number = self._buildah("images", "--quiet", "--no-trunc", name, answer=True)
        images = json.loads((self.work / "storage/vfs-images/images.json").read_text())
        layer = next(i["layer"] for i in images if i["id"] == number.removeprefix("sha256:"))
        return self.work / "storage/vfs/dir" / layer
