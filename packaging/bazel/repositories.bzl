"""The program of a release, as the repository `kadmit`.

Copy this directory to third_party/kadmit, and write into MODULE.bazel:

    kadmit_release = use_repo_rule("//third_party/kadmit:repositories.bzl", "kadmit_release")

    kadmit_release(
        name = "kadmit",
        version = "0.1.0",
        url = "https://github.com/OWNER/kadmit/releases/download/v0.1.0",
        sha256 = {"x86_64-unknown-linux-musl": "..."},
    )

`url` is the address of the archives of the release, and `sha256` has the sums in its SHA256SUMS, by target.
"""

_BUILD = """\
filegroup(
    name = "kadmit",
    srcs = ["program/kadmit"],
    visibility = ["//visibility:public"],
)
"""

def _target(ctx):
    is_arm = ctx.execute(["uname", "-m"]).stdout.strip() in ["aarch64", "arm64"]
    system = "-apple-darwin" if ctx.os.name.lower().startswith("mac") else "-unknown-linux-musl"
    return ("aarch64" if is_arm else "x86_64") + system

def _kadmit_release_impl(ctx):
    target = _target(ctx)
    if target not in ctx.attr.sha256:
        fail("sha256 of kadmit has no sum for %s" % target)
    directory = "kadmit-%s-%s" % (ctx.attr.version, target)
    ctx.download_and_extract(
        url = "%s/%s.tar.gz" % (ctx.attr.url, directory),
        sha256 = ctx.attr.sha256[target],
        stripPrefix = directory,
        output = "program",
    )
    ctx.file("BUILD.bazel", _BUILD)

kadmit_release = repository_rule(
    implementation = _kadmit_release_impl,
    attrs = {
        "version": attr.string(mandatory = True),
        "url": attr.string(mandatory = True),
        "sha256": attr.string_dict(mandatory = True),
    },
)
