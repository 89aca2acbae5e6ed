"""Evaluates manifests on the workers of a Ray cluster, one block a shard, and stores the results as Parquet.

    python audit.py --shards 64 --output results -- --cluster /clusters/shop /manifests

What follows `--` are arguments of `kadmit run`. The workers need its program and the same manifests at the same place.
The column `line` has the lines of `kadmit run -o jsonl`, which `kadmit report` joins to the report of the whole run.
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

import ray


def evaluate(row: dict, shards: int, arguments: list[str]) -> list[dict]:
    """Returns the results of the shard in `row`."""
    shard = row["shard"]
    with tempfile.TemporaryDirectory() as directory:
        results = Path(directory) / "results.jsonl"
        command = ["kadmit", "run", "--exit-zero", f"--shard={shard}/{shards}", f"-o=jsonl={results}"]
        subprocess.run([*command, *arguments], check=True)
        with results.open(encoding="utf-8") as file:
            return [{"shard": shard, "line": line.rstrip("\n")} for line in file]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shards", type=int, required=True, help="the number of blocks")
    parser.add_argument("--output", required=True, help="the directory for the results")
    parser.add_argument("arguments", nargs="+", help="arguments of `kadmit run`")
    given = parser.parse_args()

    shards = ray.data.from_items([{"shard": shard} for shard in range(1, given.shards + 1)])
    shards = shards.repartition(given.shards)
    fixed = {"shards": given.shards, "arguments": given.arguments}
    shards.flat_map(evaluate, fn_kwargs=fixed).write_parquet(given.output)


if __name__ == "__main__":
    main()
