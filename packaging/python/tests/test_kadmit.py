"""Run by hand: `KADMIT=target/debug/kadmit PYTHONPATH=packaging/python pytest packaging/python`."""

import subprocess
import sys

import pytest

import kadmit

NAMESPACE = """
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {pod-security.kubernetes.io/enforce: baseline}}
"""

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      hostNetwork: HOST
      containers: [{name: web, image: nginx}]
"""


@pytest.fixture
def cluster(tmp_path):
    path = tmp_path / "cluster.yaml"
    path.write_text(NAMESPACE)
    return path


def deployment(tmp_path, host):
    path = tmp_path / "web.yaml"
    path.write_text(DEPLOYMENT.replace("HOST", host))
    return path


def test_an_admitted_deployment(tmp_path, cluster):
    report = kadmit.run(deployment(tmp_path, "false"), cluster=cluster)
    assert report.admitted, report
    assert report.denied == []
    assert str(report) == "everything is admitted"
    pod = next(result for result in report if result.kind == "Pod")
    assert (pod.namespace, pod.replicas) == ("shop", 2)
    assert pod.object["spec"]["serviceAccountName"] == "default"


def test_a_refused_pod(tmp_path, cluster):
    report = kadmit.run([deployment(tmp_path, "true")], cluster=[cluster])
    assert not report.admitted
    (pod,) = report.denied
    assert (pod.kind, pod.denied_by, pod.code, pod.object) == ("Pod", "PodSecurity", 403, None)
    assert 'violates PodSecurity "baseline:latest"' in str(report)
    assert pod.source.endswith("web.yaml:8")


def test_flags_and_standard_input():
    report = kadmit.run("-", stdin=DEPLOYMENT.replace("HOST", "false"), flags=["--enforce=restricted"])
    assert not report.admitted
    assert 'assumed namespace "shop"' in report.data["results"][0]["notes"][0]


def test_wrong_input(tmp_path):
    with pytest.raises(kadmit.InputError, match="missing.yaml"):
        kadmit.run(tmp_path / "missing.yaml")
    with pytest.raises(kadmit.InputError, match="did you mean"):
        kadmit.run("-", stdin=DEPLOYMENT, flags=["--enable-admission-plugins=PodSecurty"])


def test_the_module_is_the_program():
    ended = subprocess.run([sys.executable, "-m", "kadmit", "--version"], capture_output=True, text=True)
    assert ended.stdout.startswith("kadmit ")
