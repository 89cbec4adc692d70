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


    def issue_for_the_future(self, name, common_name):
        """Signs NAME.pem, which is valid from the year 2090 on."""
        later = self.issue(name, common_name)
        config = self.path(f"{name}.cnf")
        with open(config, "w", encoding="ascii") as file:
            file.write(f"[ca]\ndefault_ca=a\n[a]\nnew_certs_dir={self.folder}\ndatabase={self.path('index')}\n"
                       f"rand_serial=yes\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n")
        with open(self.path("index"), "w", encoding="ascii"):
            pass
        run("ca", "-batch", "-config", config, "-cert", self.certificate, "-keyfile", self.key, "-notext",
            "-startdate", "20900101000000Z", "-enddate", "20910101000000Z", "-in", self.path(f"{name}.csr"),
            "-out", later.certificate)
        return later


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
