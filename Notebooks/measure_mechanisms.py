#!/usr/bin/env python3
"""Measures what proxies, DoH resolvers and a tunnel cost, and writes urlfilter.mechanisms/1.

    sudo apt-get install squid-openssl haproxy nginx-light unbound nghttp2-client openssl
    sudo apt-get install dnsdist wireguard-go wireguard-tools iproute2    # optional
    python3 Notebooks/measure_mechanisms.py --output Notebooks/mechanisms.json

Everything runs on loopback in a temporary directory. The figures are CPU time of the component's own processes as the
kernel counts it (/proc/PID/task/*/schedstat), so other load on the machine matters little; latencies are wall time
and want an idle machine. Each figure is the mean of the repetitions, with the smallest and the largest. Optional
components that are not installed are left out; the tunnel runs in two network namespaces of its own and needs root.
"""
import argparse, base64, datetime, json, os, platform, re, shutil, socket, ssl, statistics, struct, subprocess
import sys, tempfile, time

MEASURED = "measured on loopback by Notebooks/measure_mechanisms.py: "
PORT = 18440  # first of those used
ORIGIN_PLAIN, ORIGIN_TLS, INSPECT_EC, INSPECT_RSA, CONNECT, DOH, UPSTREAM, BUMP, FRONT = range(PORT, PORT + 9)
CERTIFICATES = "/usr/lib/squid/security_file_certgen"
BIG = 64 << 20  # bytes of the file that is relayed, and of what goes through the tunnel
NAMES = 4000  # of one repetition of queries


class Component:
    """A started program; its CPU time and memory are those of all its processes."""

    def __init__(self, command, port):
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(100):
            if self.process.poll() is not None:
                sys.exit(f"{command[0]} ended with {self.process.returncode}: {' '.join(command)}")
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except OSError:
                time.sleep(0.1)
        sys.exit(f"{command[0]} does not listen on port {port}")

    def pids(self):
        found = [self.process.pid]
        for pid in found:
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/children") as file:
                    found += [int(child) for child in file.read().split()]
        return found

    def cpu(self):
        """Nanoseconds."""
        total = 0
        for pid in self.pids():
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/schedstat") as file:
                    total += int(file.read().split()[0])
        return total

    def memory(self):
        """Bytes, shared pages divided by who shares them."""
        total = 0
        for pid in self.pids():
            with open(f"/proc/{pid}/smaps_rollup") as file:
                total += 1024 * int(re.search(r"^Pss:\s+(\d+)", file.read(), re.M).group(1))
        return total

    def per_operation(self, work):
        """CPU of `work()`, which returns how many operations it did. What happens at the end is waited for."""
        before = self.cpu()
        count = work()
        time.sleep(0.1)
        return (self.cpu() - before) / count

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


def plain(port):
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


CONTEXT = ssl._create_unverified_context()
CONTEXT.minimum_version = ssl.TLSVersion.TLSv1_3


def secure(port, session=None):
    # Unbound closes a connection on which HTTP/2 was not agreed.
    CONTEXT.set_alpn_protocols(["h2"] if port in (DOH, FRONT) else ["http/1.1"])
    return CONTEXT.wrap_socket(plain(port), server_hostname="site.test", session=session)


def tunnel(target, proxy=CONNECT, host="127.0.0.1"):
    connection = plain(proxy)
    connection.sendall(f"CONNECT {host}:{target} HTTP/1.1\r\nHost: {host}:{target}\r\n\r\n".encode())
    answer = b""
    while not answer.endswith(b"\r\n\r\n"):
        answer += connection.recv(1) or sys.exit("the proxy closed the tunnel")
    if b" 200 " not in answer:
        sys.exit(f"no tunnel: {answer!r}")
    return connection


def bumped(name):
    """TLS that Squid opens, with its own certificate for the name."""
    CONTEXT.set_alpn_protocols(["http/1.1"])
    return CONTEXT.wrap_socket(tunnel(ORIGIN_TLS, BUMP, "site.test"), server_hostname=name)


def get(connection, path="/small", host="site.test"):
    """Bytes of the answer's body."""
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536) or sys.exit("closed before an answer")
    head, _, body = data.partition(b"\r\n\r\n")
    if b" 200 " not in head:
        sys.exit(f"no answer: {head!r}")
    length, got = int(re.search(rb"(?i)content-length: (\d+)", head).group(1)), len(body)
    while got < length:
        got += len(connection.recv(1 << 18)) or sys.exit("closed within an answer")
    return got


def repeated(count, operation):
    def work():
        for _ in range(count):
            operation()
        return count
    return work


def resumed(port):
    connection = secure(port)
    get(connection)  # the tickets come with the answer
    session = connection.session
    connection.close()

    def operation():
        connection = secure(port, session)
        if not connection.session_reused:
            sys.exit("the handshake was not resumed")
        connection.close()
    return operation


def latencies(connection, count=2000):
    times = []
    for _ in range(count):
        begun = time.perf_counter_ns()
        get(connection)
        times.append(time.perf_counter_ns() - begun)
    times = sorted(times[100:])
    return times[len(times) // 2], times[len(times) * 99 // 100]


def added(through, directly):
    """Of the median and of the 99th percentile; one connection each, the two one after the other."""
    via, direct = through(), directly()
    pairs = latencies(via), latencies(direct)
    via.close(), direct.close()
    return [max(a - b, 0) for a, b in zip(*pairs)]


def per_connection(component, open_one, count=400):
    before = component.memory()
    held = [open_one() for _ in range(count)]
    time.sleep(0.5)
    grown = component.memory() - before
    for connection in held:
        connection.close()
    time.sleep(1)
    return grown / count


def question(name):
    """The path of a DNS query of type A by GET (RFC 8484)."""
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    message = struct.pack(">HHHHHH", 0, 0x100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">HH", 1, 1)
    return "/dns-query?dns=" + base64.urlsafe_b64encode(message).decode().rstrip("=")


def ask(folder, names, log=None, connections=2, streams=8, port=DOH):
    """Asks for each name once over HTTP/2; returns how many were answered."""
    path = f"{folder}/names"
    with open(path, "w") as file:
        file.writelines(f"https://127.0.0.1:{port}{question(name)}\n" for name in names)
    options = ["--log-file=" + log] if log else []
    ran = subprocess.run(
        ["h2load", "-c", str(connections), "-m", str(streams), "-n", str(len(names)), "-i", path] + options,
        capture_output=True, text=True)
    if f" {len(names)} succeeded" not in ran.stdout:
        sys.exit("h2load: not every query was answered\n" + ran.stdout + ran.stderr)
    return len(names)


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def version(*command):
    ran = subprocess.run(command, capture_output=True, text=True)
    return re.search(r"\d+\.[\d.]*\d", ran.stdout + ran.stderr).group(0)


def prepare(folder):
    for name, key in [("ec", ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]), ("rsa", ["rsa:2048"])]:
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", *key, "-nodes", "-days", "2", "-subj", "/CN=site.test",
             "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.crt"], check=True, capture_output=True)
        with open(f"{folder}/{name}.crt") as crt, open(f"{folder}/{name}.key") as key_file:
            write(f"{folder}/{name}.pem", crt.read() + key_file.read())
    os.mkdir(f"{folder}/www")
    write(f"{folder}/www/small", "x" * 1000)
    with open(f"{folder}/www/big", "wb") as file:
        file.truncate(BIG)
    os.chmod(folder, 0o755)
    write(f"{folder}/nginx.conf", f"""
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log /dev/null;
events {{ worker_connections 4096; }}
http {{ access_log off; keepalive_requests 1000000; sendfile on; root {folder}/www;
  server {{ listen 127.0.0.1:{ORIGIN_PLAIN}; }}
  server {{ listen 127.0.0.1:{ORIGIN_TLS} ssl; ssl_certificate {folder}/ec.crt; ssl_certificate_key {folder}/ec.key;
    ssl_protocols TLSv1.3; }} }}
""")
    write(f"{folder}/haproxy.cfg", f"""
global
  nbthread 1
  maxconn 4096
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  http-reuse always
frontend ec
  bind 127.0.0.1:{INSPECT_EC} ssl crt {folder}/ec.pem
  default_backend site
frontend rsa
  bind 127.0.0.1:{INSPECT_RSA} ssl crt {folder}/rsa.pem
  default_backend site
backend site
  server one 127.0.0.1:{ORIGIN_TLS} ssl verify none
""")
    write(f"{folder}/squid.conf", f"""
http_port 127.0.0.1:{CONNECT}
http_access allow all
cache deny all
access_log none
cache_log /dev/null
pid_filename none
netdb_filename none
coredump_dir {folder}
shutdown_lifetime 0 seconds
""")
    bump = f"http_port 127.0.0.1:{BUMP} ssl-bump tls-cert={folder}/ec.pem generate-host-certificates=on"
    with open(f"{folder}/squid.conf") as file:
        plain_squid = file.read()
    write(f"{folder}/bump.conf", re.sub("http_port .*", bump + " dynamic_cert_mem_cache_size=20MB", plain_squid) + f"""
sslcrtd_program {CERTIFICATES} -s {folder}/certificates -M 20MB
sslcrtd_children 1 startup=1
acl first at_step SslBump1
ssl_bump peek first
ssl_bump bump all
tls_outgoing_options flags=DONT_VERIFY_PEER,DONT_VERIFY_DOMAIN
sslproxy_cert_error allow all
hosts_file {folder}/hosts
""")
    write(f"{folder}/hosts", "127.0.0.1 site.test\n")
    write(f"{folder}/dnsdist.conf", f"""
addDOHLocal("127.0.0.1:{FRONT}", "{folder}/ec.crt", "{folder}/ec.key", "/dns-query")
newServer({{address="127.0.0.1:{UPSTREAM}", checkName="known.test."}})
getPool(""):setCache(newPacketCache(100000))
""")
    common = 'username: ""\n  chroot: ""\n  do-daemonize: no\n  use-syslog: no\n  num-threads: 1'
    write(f"{folder}/doh.conf", f"""
server:
  {common}
  directory: "{folder}"
  pidfile: "{folder}/doh.pid"
  interface: 127.0.0.1@{DOH}
  https-port: {DOH}
  tls-service-key: "{folder}/ec.key"
  tls-service-pem: "{folder}/ec.crt"
  incoming-num-tcp: 1000
  do-not-query-localhost: no
  module-config: "iterator"
  local-zone: "test." nodefault
forward-zone:
  name: "test."
  forward-addr: 127.0.0.1@{UPSTREAM}
remote-control:
  control-enable: no
""")
    write(f"{folder}/upstream.conf", f"""
server:
  {common}
  directory: "{folder}"
  pidfile: "{folder}/upstream.pid"
  interface: 127.0.0.1@{UPSTREAM}
  port: {UPSTREAM}
  local-zone: "test." redirect
  local-data: "test. 3600 A 192.0.2.1"
remote-control:
  control-enable: no
""")


def bump(cpu, squid):
    """Handshakes with the device and with the site; the certificate of a name is made once."""
    fresh = iter(range(1 << 40))
    known, host = bumped("known.test"), f"site.test:{ORIGIN_TLS}"
    get(known, host=host)
    return {
        "handshakeKnownNanoseconds": cpu(
            squid, repeated(300, lambda: bumped("known.test").close()),
            "300 tunnels to a known name, opened and closed, TLS on both sides, ECDSA P-256"),
        "handshakeNewNanoseconds": cpu(
            squid, repeated(200, lambda: bumped(f"n{next(fresh)}.test").close()),
            "200 such tunnels, each to a new name with a certificate of its own"),
        "requestNanoseconds": cpu(
            squid, repeated(2000, lambda: get(known, host=host)),
            "2 000 requests, answers of 1 000 bytes, TLS on both sides"),
        "byteNanoseconds": cpu(squid, lambda: get(known, "/big", host), "64 MiB decrypted and encrypted again"),
    }


class UserSpaceTunnel:
    """Device (0) and gateway (1) in network namespaces of their own, between them WireGuard in user space."""

    links = ["ufwd", "ufwg"]

    def __init__(self, folder):
        self.folder = folder
        self.spaces = [f"{link}{os.getpid()}" for link in self.links]
        self.keys, self.processes = [], []

    def inside(self, side, *command):
        return subprocess.run(
            ["ip", "netns", "exec", self.spaces[side], *command], check=True, capture_output=True, text=True).stdout

    def know(self, side):
        """Tells a side of the other; what they had agreed on is forgotten."""
        key, other = self.keys[1 - side], 2 - side
        self.inside(side, "wg", "set", self.links[side], "peer", key, "remove")
        self.inside(
            side, "wg", "set", self.links[side], "peer", key, "allowed-ips", f"10.91.0.{other}/32",
            "endpoint", f"10.90.0.{other}:51820")

    def __enter__(self):
        try:
            return self.begin()
        except BaseException:
            self.__exit__()
            raise

    def begin(self):
        for space in self.spaces:
            subprocess.run(["ip", "netns", "add", space], check=True)
        subprocess.run(
            ["ip", "link", "add", "ufd", "netns", self.spaces[0], "type", "veth",
             "peer", "name", "ufg", "netns", self.spaces[1]], check=True)
        for side, link in enumerate(self.links):
            key = subprocess.run(["wg", "genkey"], check=True, capture_output=True, text=True).stdout
            write(f"{self.folder}/{link}", key)
            self.keys.append(subprocess.run(
                ["wg", "pubkey"], input=key, check=True, capture_output=True, text=True).stdout.strip())
            self.inside(side, "ip", "address", "add", f"10.90.0.{side + 1}/24", "dev", ["ufd", "ufg"][side])
            self.inside(side, "ip", "link", "set", ["ufd", "ufg"][side], "up")
            self.processes.append(subprocess.Popen(
                ["ip", "netns", "exec", self.spaces[side], "wireguard-go", "-f", link],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        time.sleep(1)
        for side, link in enumerate(self.links):
            self.inside(
                side, "wg", "set", link, "private-key", f"{self.folder}/{link}", "listen-port", "51820")
            self.inside(side, "ip", "address", "add", f"10.91.0.{side + 1}/24", "dev", link)
            self.inside(side, "ip", "link", "set", link, "mtu", "1420", "up")
        for side in (0, 1):
            self.know(side)
        self.gateway = Component.__new__(Component)
        self.gateway.process = self.processes[1]
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.terminate()
            process.wait(10)
        for space in self.spaces:
            subprocess.run(["ip", "netns", "delete", space])

    def shake(self, count=50):
        for _ in range(count):
            self.know(0)
            self.inside(0, sys.executable, "-c", "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)"
                        ".sendto(b'', ('10.91.0.2', 9))")
            for _ in range(100):
                if self.inside(0, "wg", "show", self.links[0], "latest-handshakes").split()[-1] != "0":
                    break
                time.sleep(0.02)
            else:
                sys.exit("no handshake of WireGuard")
        return count

    def carry(self, count):
        """Sends so many bytes from the gateway to the device."""
        sender = subprocess.Popen(
            ["ip", "netns", "exec", self.spaces[1], sys.executable, "-c",
             "import socket; s = socket.create_server(('10.91.0.2', 5000)); print(flush=True);"
             f"c, _ = s.accept(); c.sendall(bytes({count})); c.shutdown(1); c.recv(1)"], stdout=subprocess.PIPE)
        sender.stdout.read(1)
        self.inside(
            0, sys.executable, "-c", "import socket; c = socket.create_connection(('10.91.0.2', 5000))\n"
            "while c.recv(1 << 18): pass")
        sender.wait(10)
        return count


def measure(folder, repetitions):
    started = []

    def start(command, port):
        started.append(Component(command, port))
        return started[-1]

    def figure(samples, text):
        return {"value": statistics.fmean(samples), "low": min(samples), "high": max(samples),
                "source": MEASURED + text}

    def cpu(component, work, text):
        work()
        return figure([component.per_operation(work) for _ in range(repetitions)], text)

    def latency(figures, samples, text):
        text += f"; load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
        for index, name in enumerate(["P50", "P99"]):
            figures[f"addedLatency{name}Nanoseconds"] = figure([pair[index] for pair in samples], text)

    optional = {}
    try:
        start(["nginx", "-p", folder, "-c", f"{folder}/nginx.conf"], ORIGIN_TLS)

        squid = start(["squid", "-N", "-f", f"{folder}/squid.conf"], CONNECT)
        # Memory first: what earlier connections left would be used again.
        connect = {"connectionBytes": figure(
            [per_connection(squid, lambda: tunnel(ORIGIN_PLAIN))], "400 idle tunnels, growth of the memory, once")}
        connect["tunnelNanoseconds"] = cpu(
            squid, repeated(1500, lambda: tunnel(ORIGIN_PLAIN).close()), "1 500 tunnels opened and closed")
        way = tunnel(ORIGIN_PLAIN)
        connect["byteNanoseconds"] = cpu(squid, lambda: get(way, "/big") + get(way, "/big"), "128 MiB in one tunnel")
        connect["requestNanoseconds"] = cpu(
            squid, repeated(3000, lambda: get(way)), "3 000 answers of 1 000 bytes in one tunnel")
        latency(connect, [added(lambda: tunnel(ORIGIN_PLAIN), lambda: plain(ORIGIN_PLAIN)) for _ in range(repetitions)],
                "2 000 requests in a tunnel less as many without one")

        if os.path.exists(CERTIFICATES):
            subprocess.run(
                [CERTIFICATES, "-c", "-s", f"{folder}/certificates", "-M", "20MB"], check=True, capture_output=True)
            optional["bump"] = "Squid, opening TLS", ["squid", "-v"], bump(
                cpu, start(["squid", "-N", "-f", f"{folder}/bump.conf"], BUMP))

        haproxy = start(["haproxy", "-db", "-f", f"{folder}/haproxy.cfg"], INSPECT_EC)

        def held():
            connection = secure(INSPECT_EC)
            get(connection)
            return connection
        inspect = {"connectionBytes": figure(
            [per_connection(haproxy, held)], "400 idle TLS connections of clients, growth of the memory, once")}
        for name, port, key in [("ECDSA", INSPECT_EC, "ECDSA P-256"), ("RSA", INSPECT_RSA, "RSA-2048")]:
            inspect[f"handshake{name}Nanoseconds"] = cpu(
                haproxy, repeated(1000, lambda: secure(port).close()), f"1 000 full TLS 1.3 handshakes, {key}")
        inspect["resumedHandshakeNanoseconds"] = cpu(
            haproxy, repeated(1000, resumed(INSPECT_EC)), "1 000 resumed TLS 1.3 handshakes, key agreement included")
        inspected = secure(INSPECT_EC)
        inspect["requestNanoseconds"] = cpu(
            haproxy, repeated(3000, lambda: get(inspected)), "3 000 requests, answers of 1 000 bytes, TLS on both sides")
        inspect["byteNanoseconds"] = cpu(
            haproxy, lambda: get(inspected, "/big") + get(inspected, "/big"), "128 MiB decrypted and encrypted again")
        latency(inspect, [added(lambda: secure(INSPECT_EC), lambda: secure(ORIGIN_TLS)) for _ in range(repetitions)],
                "2 000 requests through it less as many without it")

        start(["unbound", "-d", "-c", f"{folder}/upstream.conf"], UPSTREAM)
        unbound = start(["unbound", "-d", "-c", f"{folder}/doh.conf"], DOH)
        fresh = iter(range(1 << 40))
        known = [f"known{number}.test" for number in range(NAMES)]
        doh = {
            "connectionBytes": figure(
                [per_connection(unbound, lambda: secure(DOH))], "400 idle TLS connections, growth of the memory, once"),
            "queryMissNanoseconds": cpu(
                unbound, lambda: ask(folder, [f"n{next(fresh)}.test" for _ in range(NAMES)]),
                f"{NAMES} queries over HTTP/2 that are forwarded by UDP, no DNSSEC"),
            "queryHitNanoseconds": cpu(
                unbound, lambda: ask(folder, known), f"{NAMES} queries over HTTP/2, answered from the cache"),
            "handshakeECDSANanoseconds": cpu(
                unbound, repeated(1000, lambda: secure(DOH).close()), "1 000 full TLS 1.3 handshakes, ECDSA P-256"),
        }

        def whole():
            log = f"{folder}/log"
            if os.path.exists(log):
                os.remove(log)
            ask(folder, known[:2000], log, 1, 1)
            with open(log) as file:
                times = sorted(1000 * int(line.split("\t")[2]) for line in file)
            return times[len(times) // 2], times[len(times) * 99 // 100]
        latency(doh, [whole() for _ in range(repetitions)], "2 000 cached queries one by one, the whole query")

        if shutil.which("dnsdist"):
            front = start(["dnsdist", "--supervised", "--disable-syslog", "-C", f"{folder}/dnsdist.conf"], FRONT)
            optional["front"] = "dnsdist", ["dnsdist", "--version"], {
                "queryMissNanoseconds": cpu(
                    front, lambda: ask(folder, [f"m{next(fresh)}.test" for _ in range(NAMES)], port=FRONT),
                    f"{NAMES} queries over HTTP/2 that are forwarded by UDP"),
                "queryHitNanoseconds": cpu(
                    front, lambda: ask(folder, known, port=FRONT),
                    f"{NAMES} queries over HTTP/2, answered from the cache"),
                "handshakeECDSANanoseconds": cpu(
                    front, repeated(1000, lambda: secure(FRONT).close()), "1 000 full TLS 1.3 handshakes, ECDSA P-256"),
            }
        if all(shutil.which(tool) for tool in ["wireguard-go", "wg", "ip"]) and os.geteuid() == 0:
            with UserSpaceTunnel(folder) as way:
                optional["tunnel"] = "wireguard-go", ["wireguard-go", "--version"], {
                    "byteNanoseconds": cpu(
                        way.gateway, lambda: way.carry(BIG), "64 MiB over TCP through the gateway's process"),
                    "handshakeNanoseconds": cpu(
                        way.gateway, way.shake, "50 handshakes with a device that has forgotten its keys"),
                }
    finally:
        for component in reversed(started):
            component.stop()

    def component(name, command, figures):
        return {"name": name, "version": version(*command), "figures": figures}
    return {
        "connect": component("Squid", ["squid", "-v"], connect),
        "inspect": component("HAProxy", ["haproxy", "-v"], inspect),
        "doh": component("Unbound", ["unbound", "-V"], doh),
        **{role: component(*part) for role, part in optional.items()},
    }


def processor():
    with open("/proc/cpuinfo") as file:
        found = re.search(r"model name\s*: (.*)", file.read())
    return found.group(1) if found else platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", required=True, help="the JSON file to write")
    parser.add_argument("--repetitions", type=int, default=5, help="of each figure, after one that is not counted")
    options = parser.parse_args()
    missing = [tool for tool in ["openssl", "nginx", "squid", "haproxy", "unbound", "h2load"] if not shutil.which(tool)]
    if missing:
        sys.exit(f"not installed: {', '.join(missing)}; the head of this file has the command")
    if os.getloadavg()[0] > os.cpu_count() / 2:
        print("the machine is busy: latencies, above all the 99th percentiles, will be those of a busy machine",
              file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        components = measure(folder, options.repetitions)
    document = {
        "schema": "urlfilter.mechanisms/1",
        "machine": f"{processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}, "
                   f"{ssl.OPENSSL_VERSION}",
        "date": datetime.date.today().isoformat(), **components}
    write(options.output, json.dumps(document, indent=2) + "\n")
    for role, part in components.items():
        print(f"{role}: {part['name']} {part['version']}")
        for name, value in part["figures"].items():
            print(f"  {name:30} {value['value']:12,.1f}  {value['low']:,.1f} to {value['high']:,.1f}")


if __name__ == "__main__":
    main()
