#!/usr/bin/env bash
# Packs a built program into the archives of a release:
#
#   packaging/archive.sh VERSION TARGET PROGRAM OUT
#
# writes OUT/kadmit-VERSION-TARGET.tar.gz (.zip for Windows) with the program, completions, man pages and licences, and
# OUT/kubectl-kadmit-OS-ARCH.tar.gz, which krew installs. The same input makes the same bytes.
set -euo pipefail

version=$1 target=$2 program=$(realpath "$3") out=$4
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)

case $target in
  x86_64-*-linux-*) os=linux arch=amd64 ;;
  aarch64-*-linux-*) os=linux arch=arm64 ;;
  x86_64-apple-darwin) os=darwin arch=amd64 ;;
  aarch64-apple-darwin) os=darwin arch=arm64 ;;
  x86_64-pc-windows-*) os=windows arch=amd64 ;;
  *) echo "archive.sh: no release is made for $target" >&2; exit 2 ;;
esac
suffix=
[ "$os" != windows ] || suffix=.exe

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
licences=("$root/LICENSE")
[ ! -f "$root/NOTICE" ] || licences+=("$root/NOTICE")

# Python packs the same bytes everywhere; the tar of macOS does not.
pack() {
  python3 - "$1" "$2" "$3" <<'PY'
import gzip, os, sys, tarfile, zipfile

directory, name, archive = sys.argv[1:]
files = sorted(
    os.path.relpath(os.path.join(path, file), directory)
    for path, _, files in os.walk(os.path.join(directory, name))
    for file in files
)
programs = ("kadmit", "kubectl-kadmit")

def mode(file):
    return 0o755 if os.path.basename(file) in programs else 0o644

if archive.endswith(".zip"):
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for file in files:
            info = zipfile.ZipInfo(file.replace(os.sep, "/"), (2000, 1, 1, 0, 0, 0))
            info.external_attr = mode(file) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            with open(os.path.join(directory, file), "rb") as data:
                out.writestr(info, data.read())
else:
    with open(archive, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as out:
            for file in files:
                path = os.path.join(directory, file)
                info = tarfile.TarInfo(file)
                info.size, info.mode = os.path.getsize(path), mode(file)
                with open(path, "rb") as data:
                    out.addfile(info, data)
PY
}

name=kadmit-$version-$target
mkdir -p "$scratch/$name"
cp "$program" "$scratch/$name/kadmit$suffix"
cp "${licences[@]}" "$root/README.md" "$root/CHANGELOG.md" "$scratch/$name/"
cp -R "$root/completions" "$root/man" "$scratch/$name/"
if [ "$os" = windows ]; then
  pack "$scratch" "$name" "$out/$name.zip"
else
  pack "$scratch" "$name" "$out/$name.tar.gz"
fi

# krew wants the files at the top of the archive.
mkdir -p "$scratch/krew/files"
cp "$program" "$scratch/krew/files/kubectl-kadmit$suffix"
cp "${licences[@]}" "$scratch/krew/files/"
pack "$scratch/krew/files" . "$out/kubectl-kadmit-$os-$arch.tar.gz"
