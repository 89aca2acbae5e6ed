#!/usr/bin/env bash
# Builds kadmit.wasm and editor.js next to the page. Needs Rust's target wasm32-unknown-unknown, and npm:
#
#     rustup target add wasm32-unknown-unknown
#
# Where there is only a distribution's Rust, STD_FROM_SOURCE=1 builds the standard library of the target as well.
set -euo pipefail
cd "$(dirname "$0")"

npm ci --ignore-scripts --no-audit --no-fund
npx esbuild editor.mjs --bundle --minify --format=esm --target=es2022 --log-level=warning --outfile=editor.js
# The editor is CodeMirror, whose licence asks for its text.
for package in node_modules/@codemirror/* node_modules/@lezer/* node_modules/{crelt,style-mod,w3c-keyname,@marijn/find-cluster-break}; do
  printf '%s\n\n' "${package#node_modules/}"
  cat "$package/LICENSE"
  echo
done > editor.LICENSE.txt

arguments=(--release --target wasm32-unknown-unknown)
if [[ -n ${STD_FROM_SOURCE-} ]]; then
  export RUSTC_BOOTSTRAP=1
  arguments+=(-Z build-std=std,panic_abort)
fi
# Deeply nested documents recurse.
export RUSTFLAGS="${RUSTFLAGS-} -C link-arg=-zstack-size=16777216"
cargo build "${arguments[@]}"
cp "${CARGO_TARGET_DIR:-target}/wasm32-unknown-unknown/release/kadmit_playground.wasm" kadmit.wasm
ls -l kadmit.wasm editor.js
