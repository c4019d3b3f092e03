"""The Debian package that scripts/package makes of the built program; what installs it is in Tests/Systemd."""

import gzip
import os
import re
import shutil
import subprocess

import pytest

from support.paths import ROOT, binary

pytestmark = pytest.mark.skipif(
    any(shutil.which(tool) is None for tool in ("dpkg-deb", "dpkg-shlibdeps", "lintian", "strip", "man")),
    reason="Debian's packaging tools are not here")


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A package of the binary under test, unpacked."""
    folder = tmp_path_factory.mktemp("package")
    done = subprocess.run(
        [ROOT / "scripts" / "package", "--no-check", "--binary", binary(), "--version", "9.8.7", "--output", folder],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    [file] = folder.glob("candled_9.8.7_*.deb")
    subprocess.run(["dpkg-deb", "-R", file, folder / "tree"], check=True)
    return file, folder / "tree"


def test_lintian_finds_no_error(package):
    file, _ = package
    # The binary under test is linked with Swift's libraries where they are installed, the package's own with none.
    done = subprocess.run(
        ["lintian", "--fail-on", "error", "--allow-root", "--suppress-tags", "custom-library-search-path", file],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_has_all_that_an_operator_needs(package):
    _, tree = package
    for path in (
        "usr/bin/candled", "lib/systemd/system/candled.service", "usr/lib/sysusers.d/candled.conf",
        "usr/share/man/man1/candled.1.gz", "usr/share/man/man5/candled.yaml.5.gz", "usr/share/doc/candled/copyright",
        "usr/share/doc/candled/examples/candled.rules.yml", "usr/share/doc/candled/examples/candled-dashboard.json",
    ):
        assert (tree / path).is_file(), path
    assert (tree / "DEBIAN" / "conffiles").read_text() == "/etc/candled/candled.yaml\n"
    assert (tree / "etc/candled/candled.yaml").read_text() == (ROOT / "systemd" / "candled.yaml").read_text()
    for script in ("postinst", "prerm", "postrm"):
        assert os.access(tree / "DEBIAN" / script, os.X_OK)


def test_its_libraries_are_debians_and_named(package):
    _, tree = package
    control = (tree / "DEBIAN" / "control").read_text()
    depends = re.search(r"^Depends: (.*)$", control, re.M).group(1)
    names = {re.split(r"[ (|]", name.strip())[0] for name in depends.split(",")}
    assert {"libc6", "libwebsockets17", "libwebsockets-evlib-uv", "libsqlite3-0", "libsystemd0", "libyaml-0-2"} <= names


@pytest.mark.parametrize("page", ["man1/candled.1.gz", "man5/candled.yaml.5.gz"])
def test_manual_pages_have_no_mistake_and_fit_a_terminal(package, page, tmp_path):
    _, tree = package
    source = tmp_path / page.rsplit("/", 1)[1].removesuffix(".gz")
    source.write_bytes(gzip.decompress((tree / "usr/share/man" / page).read_bytes()))
    done = subprocess.run(
        ["man", "--warnings", "-l", source], capture_output=True, text=True,
        env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "100"})
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert "candled 9.8.7" in done.stdout
    assert max(len(line) for line in done.stdout.splitlines()) <= 130


def test_what_others_wrote_is_named_with_its_licence(package):
    _, tree = package
    text = (tree / "usr/share/doc/candled/copyright").read_text()
    for name in ("KLineChart", "Swift", "ICU", "bfx-hf-backtest", "Apache-2.0", "Unicode-3.0"):
        assert name in text, name


def test_scripts_of_the_package_are_plain_shell(package):
    _, tree = package
    for script in ("postinst", "prerm", "postrm"):
        assert subprocess.run(["sh", "-n", tree / "DEBIAN" / script]).returncode == 0
