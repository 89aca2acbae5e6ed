"""Evaluates manifests on the workers of a Spark cluster, one task a shard, and stores the results as Parquet.

    spark-submit audit.py --shards 64 --output results.parquet -- --cluster /clusters/shop /manifests

What follows `--` are arguments of `kadmit run`. The workers need its program, for example from the wheel, and the same
manifests at the same place. Spark repeats a task that fails; a shard that ran twice is stored once. The column `line`
has the lines of `kadmit run -o jsonl`, which `kadmit report` joins to the report of the whole run.
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

import pandas
from pyspark.sql import SparkSession

# Lines in one batch, so that a worker does not hold a whole shard.
LINES = 10_000


def evaluate(shards: int, arguments: list[str], batches):
    """Yields the results of each shard that `batches` name."""
    for batch in batches:
        for shard in batch["shard"]:
            with tempfile.TemporaryDirectory() as directory:
                results = Path(directory) / "results.jsonl"
                command = ["kadmit", "run", "--exit-zero", f"--shard={shard}/{shards}", f"-o=jsonl={results}"]
                subprocess.run([*command, *arguments], check=True)
                with results.open(encoding="utf-8") as file:
                    while lines := [line.rstrip("\n") for _, line in zip(range(LINES), file)]:
                        yield pandas.DataFrame({"shard": shard, "line": lines})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shards", type=int, required=True, help="the number of tasks")
    parser.add_argument("--output", required=True, help="the directory for the results, as Spark names it")
    parser.add_argument("arguments", nargs="+", help="arguments of `kadmit run`")
    given = parser.parse_args()

    spark = SparkSession.builder.appName("kadmit").getOrCreate()
    shards = spark.range(1, given.shards + 1, numPartitions=given.shards).withColumnRenamed("id", "shard")
    results = shards.mapInPandas(
        lambda batches: evaluate(given.shards, given.arguments, batches), "shard long, line string"
    )
    results.write.mode("overwrite").parquet(given.output)
    spark.stop()


if __name__ == "__main__":
    main()
