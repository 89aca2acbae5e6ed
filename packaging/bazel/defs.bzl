"""Tests of Kubernetes manifests against the admission chain of kube-apiserver.

    load("//third_party/kadmit:defs.bzl", "kadmit_test")

    kadmit_test(
        name = "manifests",
        srcs = glob(["manifests/**/*.yaml"]),
        cluster = ["//clusters/shop:objects"],
        settings = "kadmit.toml",
    )

The test runs `kadmit run` on the files and fails as it does. Its inputs are all declared and it connects to nothing, so
Bazel caches the result, also between machines. With `shard_count`, each shard of the test evaluates some of the
namespaces (`--shard`); every shard reads all files.
"""

def _quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"

def _kadmit_test_impl(ctx):
    if not ctx.files.srcs:
        fail("srcs of %s is empty: a test of nothing would pass" % ctx.label)

    # A name without a slash would be searched for in PATH.
    command = [_quoted("./" + ctx.executable.kadmit.short_path), "run"]
    for file in ctx.files.cluster:
        command.extend(["--cluster", _quoted(file.short_path)])
    if ctx.file.settings:
        command.extend(["--settings", _quoted(ctx.file.settings.short_path)])
    else:
        # The nearest one outside of the sandbox would not be an input.
        command.append("--no-settings")
    command.extend([_quoted(argument) for argument in ctx.attr.flags])

    # Bazel tells a shard its number, from 0, and expects that it acknowledges sharding by this file.
    lines = [
        "#!/bin/sh",
        "set -- -o text",
        "if [ -n \"${TEST_TOTAL_SHARDS:-}\" ] && [ \"$TEST_TOTAL_SHARDS\" -gt 1 ]; then",
        "  touch \"$TEST_SHARD_STATUS_FILE\"",
        "  set -- \"$@\" --shard \"$((TEST_SHARD_INDEX + 1))/$TEST_TOTAL_SHARDS\"",
        "fi",
        "if [ -n \"${XML_OUTPUT_FILE:-}\" ]; then",
        "  set -- \"$@\" -o \"junit=$XML_OUTPUT_FILE\"",
        "fi",
        "exec %s \"$@\" -- %s" % (
            " ".join(command),
            " ".join([_quoted(file.short_path) for file in ctx.files.srcs]),
        ),
        "",
    ]
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(script, "\n".join(lines), is_executable = True)
    files = ctx.files.srcs + ctx.files.cluster + ctx.files.data + ctx.files.settings
    runfiles = ctx.runfiles(files = files).merge(ctx.attr.kadmit[DefaultInfo].default_runfiles)
    return [DefaultInfo(executable = script, runfiles = runfiles.merge(ctx.runfiles([ctx.executable.kadmit])))]

kadmit_test = rule(
    implementation = _kadmit_test_impl,
    test = True,
    doc = "Evaluates manifests, and fails if one of them is denied.",
    attrs = {
        "srcs": attr.label_list(
            allow_files = [".yaml", ".yml", ".json"],
            mandatory = True,
            doc = "The manifests.",
        ),
        "cluster": attr.label_list(
            allow_files = [".yaml", ".yml", ".json"],
            doc = "The objects that exist in the cluster.",
        ),
        "settings": attr.label(
            allow_single_file = [".toml"],
            doc = "The settings; files that they name belong into `data`.",
        ),
        "data": attr.label_list(
            allow_files = True,
            doc = "Files that the flags or the settings name.",
        ),
        "flags": attr.string_list(
            doc = "More flags of `kadmit run`, such as `--kubernetes-version=1.36`.",
        ),
        "kadmit": attr.label(
            default = "@kadmit//:kadmit",
            executable = True,
            allow_files = True,
            cfg = "target",
            doc = "The program.",
        ),
    },
)
