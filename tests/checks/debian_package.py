"""debian_package: the package `signet` installs in a root that has only what it depends on, where the demo's calls work.

    debian_package.py CPACK BUILD_DIR

The root consists of Debian's essential packages and of those that the package depends on, copied from this system.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
UNUSED = ("/usr/share/doc/", "/usr/share/info/", "/usr/share/locale/", "/usr/share/man/", "/usr/share/zoneinfo/")


def run(*command, **options):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if result.returncode != 0:
        sys.exit(f"FAILED: {' '.join(command)}\n{result.stdout}")
    return result.stdout


def installed_packages():
    """The stanza of each installed package in dpkg's database, and the packages by the names that they provide."""
    stanzas, providers = {}, {}
    with open("/var/lib/dpkg/status", encoding="utf-8") as file:
        for text in file.read().split("\n\n"):
            stanza = dict(re.findall(r"^([\w-]+): *(.*)$", text, re.M))
            if stanza.get("Status") == "install ok installed":
                stanzas[stanza["Package"]] = {**stanza, "text": text.strip()}
                for provided in [stanza["Package"], *re.split(r", *", stanza.get("Provides", ""))]:
                    providers.setdefault(provided.split(" ")[0], stanza["Package"])
    return stanzas, providers


def closure(depends, stanzas, providers):
    """The essential packages, those that `depends` lists, and all that these depend on."""
    found, waiting = set(), [depends] + [name for name in stanzas if stanzas[name].get("Essential") == "yes"]
    while waiting:
        for choice in filter(None, re.split(r", *", waiting.pop())):
            names = [re.split(r"[ (:]", name)[0] for name in re.split(r" *\| *", choice)]
            name = next((providers[name] for name in names if name in providers), None)
            if name is None:
                sys.exit(f"FAILED: expected an installed package for the dependency `{choice}`, found none")
            if name not in found:
                found.add(name)
                waiting += [stanzas[name].get("Depends", ""), stanzas[name].get("Pre-Depends", "")]
    return sorted(found)


def copy_packages(names, stanzas, root):
    """Copies the files of packages, and what dpkg knows of them."""
    database = f"{root}/var/lib/dpkg"
    os.makedirs(f"{database}/info")
    os.makedirs(f"{database}/updates")
    for name in os.listdir("/"):
        if os.path.islink(f"/{name}"):  # such as /lib, which is /usr/lib
            os.makedirs(root + os.path.realpath(f"/{name}"), exist_ok=True)
            os.symlink(os.readlink(f"/{name}"), f"{root}/{name}")
    paths = set()
    for name in names:
        for path in glob.glob(f"/var/lib/dpkg/info/{name}.list") + glob.glob(f"/var/lib/dpkg/info/{name}:*.list"):
            shutil.copy(path, f"{database}/info/")
            with open(path, encoding="utf-8") as file:
                paths.update(file.read().splitlines())
    for path in sorted(paths):
        target = root + path
        if path.startswith(UNUSED) or os.path.lexists(target) or not os.path.lexists(path):
            continue
        if os.path.isdir(path) and not os.path.islink(path):
            os.makedirs(target, exist_ok=True)
        else:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(path, target, follow_symlinks=False)
    os.makedirs(f"{root}/dev", exist_ok=True)
    with open(f"{database}/status", "w", encoding="utf-8") as file:
        file.write("".join(stanzas[name]["text"] + "\n\n" for name in names))


def main():
    cpack, build = sys.argv[1:]
    for tool in ("dpkg", "dpkg-deb", "dpkg-shlibdeps", "chroot"):
        if not shutil.which(tool):
            print(f"skipped: no command `{tool}`")
            return SKIPPED
    # Without the rights of root, a user namespace gives those that a root directory needs.
    rights = [] if os.geteuid() == 0 else ["unshare", "--map-root-user"]
    if subprocess.run([*rights, "chroot", "/", "true"], capture_output=True, check=False).returncode != 0:
        print("skipped: this user may not change the root directory")
        return SKIPPED

    with tempfile.TemporaryDirectory() as directory:
        run(cpack, "--config", f"{build}/CPackConfig.cmake", "-B", directory, "-D", "CPACK_COMPONENTS_ALL=runtime",
            "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none")
        package, = glob.glob(f"{directory}/signet_*.deb")
        depends = run("dpkg-deb", "--field", package, "Depends").strip()
        for library in ("libc6", "libgrpc++1.51"):
            assert library in depends, f"expected `{library}` in the dependencies, found `{depends}`"
        stanzas, providers = installed_packages()
        root = f"{directory}/root"
        os.makedirs(root)
        copy_packages(closure(depends, stanzas, providers), stanzas, root)
        before = run("find", root, "-not", "-path", "*/dpkg/*")

        run(*rights, "dpkg", f"--root={root}", "--force-not-root", "--force-unsafe-io", "--install", package)
        in_root = [*rights, "chroot", root]
        with subprocess.Popen([*in_root, "signet-server", "--models", "/usr/share/signet/examples/models", "--listen",
                               "127.0.0.1:0", "--port_file", "/tmp/port",
                               "--log_level", "warning"]) as server:
            try:
                deadline = time.monotonic() + 60
                while not os.path.exists(f"{root}/tmp/port"):
                    assert server.poll() is None, "the server stopped"
                    assert time.monotonic() < deadline, "the server does not start"
                    time.sleep(0.05)
                with open(f"{root}/tmp/port", encoding="utf-8") as file:
                    address = f"127.0.0.1:{file.read().strip()}"
                run(*in_root, "signet", "--address", address, "status", "--wait", "30")
                demo = run(*in_root, "env", f"SIGNET_ADDRESS={address}", "sh", "/usr/share/signet/examples/demo.sh")
                assert "$ signet call half_plus_two predict" in demo, demo
                completed = run(*in_root, "bash", "-c", """
                    . /usr/share/bash-completion/completions/signet
                    COMP_WORDS=(signet desc) COMP_CWORD=1
                    _signet
                    echo "${COMPREPLY[@]}" """)
                assert completed.split() == ["describe"], f"expected the completion `describe`, found `{completed}`"
            finally:
                server.terminate()
        os.remove(f"{root}/tmp/port")

        help_text = run(*in_root, "signet", "--help")
        commands = re.findall(r"^  ([\w-]+)", help_text.partition("\nSubcommands:\n")[2].partition("\n\n")[0], re.M)
        assert {"call", "infer-type"} <= set(commands), help_text
        for page in ["man8/signet-server.8.gz", "man1/signet.1.gz", *(f"man1/signet-{name}.1.gz" for name in commands)]:
            assert os.path.exists(f"{root}/usr/share/man/{page}"), f"expected the manual page {page}"
        for path in ("var/lib/signet/models", "usr/share/signet/examples/embed/CMakeLists.txt"):
            assert os.path.exists(f"{root}/{path}"), f"expected /{path}"
        assert not glob.glob(f"{root}/etc/systemd/system/*.wants/signet*"), "expected a service that is not enabled"

        run(*rights, "dpkg", f"--root={root}", "--force-not-root", "--force-unsafe-io", "--purge", "signet")
        after = run("find", root, "-not", "-path", "*/dpkg/*")
        left = sorted(set(after.splitlines()) - set(before.splitlines()))
        assert not left, f"expected no files after the package was removed, found {left}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
