"""Target: one server, or several servers that take turns, as gRPC connects to them."""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Union

from signet import errors

Address = Union[str, Sequence[str]]

_SCHEMES = ("unix:", "unix-abstract:", "dns:", "ipv4:", "ipv6:")
BALANCES = ("", "pick_first", "round_robin")


@dataclass(frozen=True)
class Target:
    """The servers of a client. `balance` is how calls are spread: "round_robin" over the servers that are healthy, or "pick_first"."""

    servers: tuple[str, ...]
    balance: str = ""
    server_name: str = ""  # in the certificates, if it is not that of the address

    @classmethod
    def parse(cls, address: Address, balance: str | None = None, server_name: str | None = None, has_tls: bool = False) -> Target:
        """Reads `host:port`, `unix:PATH`, a list of `host:port`, or such a list in one text, separated by commas."""
        given = [address] if isinstance(address, str) else list(address)
        servers = [each for part in given for each in ([part] if str(part).startswith(_SCHEMES) else str(part).split(","))]
        if not servers:
            raise ValueError("address: expected at least one server, found none")
        for server in servers:
            _check(server.strip(), is_one=len(servers) == 1)
        if (balance or "") not in BALANCES:
            raise ValueError(f"balance: expected one of {', '.join(map(repr, BALANCES[1:]))}, found {balance!r}")
        # gRPC's form of a list, such as ipv4:10.0.0.1:8500,10.0.0.2:8500, is a list, too.
        is_list = len(servers) > 1 or (servers[0].startswith(("ipv4:", "ipv6:")) and "," in servers[0])
        out = cls(tuple(each.strip() for each in servers), balance or ("round_robin" if is_list else ""), server_name or "")
        if has_tls and not server_name and len({_host_and_port(each)[0] for each in out.servers}) > 1:
            raise ValueError("server_name: expected the name in the certificates of the servers, because the address lists several hosts")
        return out

    @property
    def address(self) -> str:
        return ",".join(self.servers)

    def resolved(self) -> tuple[str, list[tuple[str, Any]]]:
        """The target of a gRPC channel, and its options. Hosts of a list are resolved."""
        options: list[tuple[str, Any]] = []
        if self.balance:
            config: dict[str, Any] = {"loadBalancingConfig": [{self.balance: {}}]}
            if self.balance == "round_robin":
                config["healthCheckConfig"] = {"serviceName": ""}
            options.append(("grpc.service_config", json.dumps(config)))
        if len(self.servers) > 1 or self.server_name:
            options.append(("grpc.default_authority", self.server_name or self.servers[0]))
        if self.server_name:
            options.append(("grpc.ssl_target_name_override", self.server_name))
        return (self.servers[0] if len(self.servers) == 1 else self._resolve()), options

    def _resolve(self) -> str:
        """gRPC accepts a list of servers only if all addresses are numeric and of one family."""
        problem: Any = ""
        for scheme, family, form in (("ipv4", socket.AF_INET, "{}:{}"), ("ipv6", socket.AF_INET6, "[{}]:{}")):
            found = []
            for server in self.servers:
                host, port = _host_and_port(server)
                try:
                    found.append(form.format(socket.getaddrinfo(host, port, family, socket.SOCK_STREAM)[0][4][0], port))
                except OSError as error:
                    problem = error
                    break
            if len(found) == len(self.servers):
                return f"{scheme}:{','.join(found)}"
        raise errors.make("UNAVAILABLE", f"no server answers at {self.address}: expected hosts that all have IPv4 addresses, or that all have IPv6 "
                          f"addresses: {problem}", address=self.address)


def _host_and_port(server: str) -> tuple[str, str]:
    host, _, port = server.rpartition(":")
    return host[1:-1] if host.startswith("[") and host.endswith("]") else host, port


def _check(server: str, is_one: bool) -> None:
    if "://" in server and not server.startswith(("unix://", "dns://", "ipv4:", "ipv6:")):
        raise ValueError(f"address: expected host:port or unix:PATH, found {server!r}; leave out `{server.partition('://')[0]}://`")
    if server.startswith(_SCHEMES):
        if not is_one:
            raise ValueError(f"address: expected host:port in a list, found {server!r}")
        return
    if ":" not in server:
        raise ValueError(f"address: expected host:port or unix:PATH, found {server!r}; the port of a server is 8500 by default")
    port = server.rpartition(":")[2]
    if not port.isdigit() or not 0 < int(port) < 65536:
        raise ValueError(f"address: expected host:port or unix:PATH, found {server!r}; a port is a number from 1 to 65535")
