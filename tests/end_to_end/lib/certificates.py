"""Makes certificates with openssl, at test time."""

import os
import subprocess


class Authority:
    """A certificate authority in a directory."""

    def __init__(self, folder, name="test-ca"):
        self.folder, self.name = folder, name
        self.key, self.certificate = self.path(f"{name}.key"), self.path(f"{name}.pem")
        run("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", self.key, "-out", self.certificate, "-days", "2", "-subj", f"/CN={name}")

    def path(self, name):
        return os.path.join(self.folder, name)

    def issue(self, name, common_name, alternative_names="", days=1):
        """Signs NAME.pem with the key NAME.key. With days < 0, it has expired."""
        key, request, out = (self.path(f"{name}.{end}") for end in ("key", "csr", "pem"))
        run("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key,
            "-out", request, "-subj", f"/CN={common_name}")
        extensions = self.path(f"{name}.ext")
        with open(extensions, "w", encoding="ascii") as file:
            if alternative_names:
                file.write(f"subjectAltName={alternative_names}\n")
        run("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.key,
            "-CAcreateserial", "-out", out, "-extfile", extensions, "-days", str(days))
        return Pair(out, key)


class Pair:
    def __init__(self, certificate, key):
        self.certificate, self.key = certificate, key

    def read(self):
        return [open(path, "rb").read() for path in (self.certificate, self.key)]


def self_signed(folder, name, common_name):
    key, out = os.path.join(folder, f"{name}.key"), os.path.join(folder, f"{name}.pem")
    run("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-keyout", key, "-out", out, "-days", "2", "-subj", f"/CN={common_name}",
        "-addext", "subjectAltName=DNS:localhost")
    return Pair(out, key)


def run(*arguments):
    subprocess.run(["openssl", *arguments], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
