#!/usr/bin/env bash
# Prints the Homebrew formula of a release:
#
#   packaging/homebrew.sh VERSION REPOSITORY SHA256SUMS
#
# REPOSITORY is the URL that releases are below, SHA256SUMS the checksums of its archives.
set -euo pipefail

version=$1 repository=$2 sums=$3

source_of() {
  local archive=kadmit-$version-$1.tar.gz sum
  sum=$(awk -v name="$archive" '$2 == name { print $1 }' "$sums")
  [ -n "$sum" ] || { echo "homebrew.sh: $sums has no $archive" >&2; exit 1; }
  printf '      url "%s/releases/download/v%s/%s"\n      sha256 "%s"\n' "$repository" "$version" "$archive" "$sum"
}

# In the text below a failure would go unnoticed.
mac_arm=$(source_of aarch64-apple-darwin)
mac_intel=$(source_of x86_64-apple-darwin)
linux_arm=$(source_of aarch64-unknown-linux-musl)
linux_intel=$(source_of x86_64-unknown-linux-musl)

cat <<FORMULA
class Kadmit < Formula
  desc "Run Kubernetes' admission chain offline"
  homepage "$repository"
  version "$version"
  license "Apache-2.0"

  on_macos do
    on_arm do
$mac_arm
    end
    on_intel do
$mac_intel
    end
  end

  on_linux do
    on_arm do
$linux_arm
    end
    on_intel do
$linux_intel
    end
  end

  def install
    bin.install "kadmit"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/kadmit.bash" => "kadmit"
    zsh_completion.install "completions/_kadmit"
    fish_completion.install "completions/kadmit.fish"
  end

  test do
    (testpath/"pod.yaml").write <<~YAML
      apiVersion: v1
      kind: Pod
      metadata: {name: web, namespace: default}
      spec: {containers: [{name: web, image: nginx}]}
    YAML
    assert_match "1 admitted", shell_output("#{bin}/kadmit run pod.yaml")
  end
end
FORMULA
