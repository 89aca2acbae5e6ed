#!/usr/bin/env python3
"""Makes the npm packages of a release from its archives: `npm.py VERSION ARCHIVES OUT`.

`kadmit` has a launcher and names one package for each platform as optional; npm installs the one that fits.
"""

import io
import json
import pathlib
import re
import sys
import tarfile
import zipfile

PLATFORMS = {
    "linux-x64": ("x86_64-unknown-linux-musl", "linux", "x64"),
    "linux-arm64": ("aarch64-unknown-linux-musl", "linux", "arm64"),
    "darwin-x64": ("x86_64-apple-darwin", "darwin", "x64"),
    "darwin-arm64": ("aarch64-apple-darwin", "darwin", "arm64"),
    "win32-x64": ("x86_64-pc-windows-msvc", "win32", "x64"),
}

LAUNCHER = """#!/usr/bin/env node
// Runs the program of this platform's package.
"use strict";

const { spawnSync } = require("node:child_process");

const platform = `${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "kadmit.exe" : "kadmit";
let program;
try {
  program = require.resolve(`kadmit-${platform}/${file}`);
} catch {
  console.error(`kadmit has no program for ${platform}, or npm left optional packages out`);
  process.exit(2);
}
const { status, signal, error } = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (error) {
  console.error(`kadmit cannot be run: ${error.message}`);
  process.exit(2);
}
if (signal) process.kill(process.pid, signal);
process.exit(status);
"""


def write(directory: pathlib.Path, package: dict, files: dict[str, tuple[bytes, int]]) -> None:
    directory.mkdir(parents=True)
    (directory / "package.json").write_text(json.dumps(package, indent=2) + "\n")
    for name, (data, mode) in files.items():
        path = directory / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        path.chmod(mode)


def program(archives: pathlib.Path, version: str, target: str) -> bytes | None:
    name = f"kadmit-{version}-{target}"
    packed = archives / f"{name}.tar.gz"
    if packed.exists():
        with tarfile.open(packed) as archive:
            return archive.extractfile(f"{name}/kadmit").read()
    zipped = archives / f"{name}.zip"
    if zipped.exists():
        with zipfile.ZipFile(io.BytesIO(zipped.read_bytes())) as archive:
            return archive.read(f"{name}/kadmit.exe")
    return None


def main(version: str, archives: str, out: str) -> None:
    root = pathlib.Path(__file__).parent.parent
    licence = ((root / "LICENSE").read_bytes(), 0o644)
    repository = re.search(r'^repository = "(.*)"$', (root / "Cargo.toml").read_text(), re.MULTILINE).group(1)
    common = {
        "version": version,
        "license": "Apache-2.0",
        "description": "Run Kubernetes' admission chain offline",
        # npm compares it with the provenance.
        "repository": {"type": "git", "url": f"git+{repository}.git"},
        "homepage": repository,
        "bugs": f"{repository}/issues",
    }
    optional = {}
    for platform, (target, system, cpu) in PLATFORMS.items():
        data = program(pathlib.Path(archives), version, target)
        if data is None:
            print(f"npm.py: there is no archive for {target}", file=sys.stderr)
            continue
        name = f"kadmit-{platform}"
        optional[name] = version
        file = "kadmit.exe" if system == "win32" else "kadmit"
        package = {"name": name, **common, "os": [system], "cpu": [cpu], "preferUnplugged": True}
        write(pathlib.Path(out) / name, package, {file: (data, 0o755), "LICENSE": licence})
    if not optional:
        sys.exit("npm.py: there is no archive at all")
    package = {"name": "kadmit", **common, "bin": {"kadmit": "bin/kadmit.js"}, "optionalDependencies": optional}
    files = {"bin/kadmit.js": (LAUNCHER.encode(), 0o755), "LICENSE": licence}
    files["README.md"] = ((root / "packaging" / "README.md").read_bytes(), 0o644)
    write(pathlib.Path(out) / "kadmit", package, files)


if __name__ == "__main__":
    main(*sys.argv[1:])
