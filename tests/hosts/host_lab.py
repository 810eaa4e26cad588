# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hosts on one machine: each has its own network, mounts, host name, IPC and processes, and its own sshd. They hang
on a bridge that is in a network of its own, so that nothing of the machine's own network is touched.

    bridge namespace:  br0 ── veth ── h0 (10.99.0.1, fd99::1)
                           ── veth ── h1 (10.99.0.2, fd99::2)  ...

Needs root. All that is made ends with `HostLab.close()`, and with this process however it ends.
"""

import atexit
import contextlib
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
NEEDED = ("ip", "unshare", "nsenter", "ssh", "ssh-keygen", "/usr/sbin/sshd")


def why_not():
    """Why there can be no hosts here; nothing if there can."""
    if os.geteuid() != 0:
        return "only root can make hosts"
    missing = [each for each in NEEDED if shutil.which(each) is None]
    return f"missing: {' '.join(missing)}" if missing else None


def sh(*words, **more):
    return subprocess.run([str(each) for each in words], check=True, capture_output=True, text=True, **more)


class HostLab:
    def __init__(self, count, with_sshd=True):
        self.count = count
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weft-hosts-"))
        self.mark = f"wl{os.getpid()}"
        self.names = [f"h{each}" for each in range(count)]
        self.holders = {}  # a process in each host's namespaces, by name
        self.daemons = []
        atexit.register(self.close)
        try:
            self.make_network()
            if with_sshd:
                self.make_keys()
            for name in self.names:
                self.make_host(name, with_sshd)
        except BaseException:
            self.close()
            raise

    # --- making ---

    def namespace(self, name):
        return f"{self.mark}-{name}"

    def make_network(self):
        bridge = self.namespace("br")
        sh("ip", "netns", "add", bridge)
        sh("ip", "-n", bridge, "link", "add", "br0", "type", "bridge")
        sh("ip", "-n", bridge, "link", "set", "br0", "up")
        for number, name in enumerate(self.names):
            host = self.namespace(name)
            sh("ip", "netns", "add", host)
            sh("ip", "-n", bridge, "link", "add", f"to-{name}", "type", "veth", "peer", "name", "eth0", "netns", host)
            sh("ip", "-n", bridge, "link", "set", f"to-{name}", "master", "br0", "up")
            sh("ip", "-n", host, "link", "set", "lo", "up")
            sh("ip", "-n", host, "address", "add", f"10.99.0.{number + 1}/24", "dev", "eth0")
            sh("ip", "-n", host, "address", "add", f"fd99::{number + 1}/64", "dev", "eth0", "nodad")
            sh("ip", "-n", host, "link", "set", "eth0", "up")
        names = [f"10.99.0.{number + 1} {name}" for number, name in enumerate(self.names)]
        (self.folder / "hosts").write_text("\n".join(["127.0.0.1 localhost", "::1 localhost", *names, ""]))

    def make_keys(self):
        for key in ("host_key", "user_key"):
            sh("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / key)
        (self.folder / "authorized_keys").write_text((self.folder / "user_key.pub").read_text())
        # A shell at this level does not read the user's .bashrc, which may do anything, and wait for it.
        (self.folder / "sshd_config").write_text(
            f"HostKey {self.folder}/host_key\nAuthorizedKeysFile {self.folder}/authorized_keys\n"
            "PidFile none\nUsePAM no\nStrictModes no\nPermitRootLogin yes\nMaxStartups 1000\nUseDNS no\n"
            "PasswordAuthentication no\nSetEnv SHLVL=1\n"
        )
        (self.folder / "ssh_config").write_text(
            f"IdentityFile {self.folder}/user_key\nIdentitiesOnly yes\nStrictHostKeyChecking no\n"
            "UserKnownHostsFile /dev/null\nLogLevel ERROR\n"
        )

    def make_host(self, name, with_sshd):
        """The first process of the host's own process namespace; all others end with it."""
        daemon = "/usr/sbin/sshd -D -e -f {0}/sshd_config 2>>{0}/sshd.{1}.log &" if with_sshd else ""
        ready = self.folder / f"ready.{name}"
        script = (
            f"hostname {name}; mount -t tmpfs none /run; mkdir -p /run/sshd; mount -t tmpfs none /dev/shm; "
            f"mount --bind {self.folder}/hosts /etc/hosts; {daemon.format(self.folder, name)} "
            f"echo > {ready}; exec bash -c 'sleep infinity & wait'"
        )
        command = ["ip", "netns", "exec", self.namespace(name), "unshare", "-m", "-u", "-i", "-p", "--fork",
                   "--kill-child", "--mount-proc", "sh", "-c", script]
        holder = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
        while not ready.exists():
            if holder.poll() is not None:
                raise RuntimeError(f"host {name} could not be made (status {holder.returncode})")
            time.sleep(0.01)
        self.daemons.append(holder)
        children = pathlib.Path(f"/proc/{holder.pid}/task/{holder.pid}/children").read_text().split()
        self.holders[name] = int(children[0])
        if with_sshd:
            self.wait_for_sshd(name)

    def wait_for_sshd(self, name):
        while self.run(name, ["ssh", "-F", self.folder / "ssh_config", name, "true"]).returncode != 0:
            if self.daemons[-1].poll() is not None:
                raise RuntimeError(f"host {name} has ended")
            time.sleep(0.02)

    # --- using ---

    @property
    def ssh(self):
        return f"ssh -F {self.folder}/ssh_config"

    def inside(self, name, command, folder=None):
        """The command, to be run in the host."""
        words = ["nsenter", "-t", self.holders[name], "-m", "-u", "-i", "-p", "-n", f"--wd={folder or os.getcwd()}"]
        return [str(each) for each in [*words, *command]]

    def run(self, name, command, folder=None, env=None, **more):
        more = {"capture_output": True, "text": True, "errors": "replace", "stdin": subprocess.DEVNULL} | more
        return subprocess.run(self.inside(name, command, folder), env=self.environment(env), **more)

    def start(self, name, command, folder=None, env=None, **more):
        return subprocess.Popen(self.inside(name, command, folder), env=self.environment(env), **more)

    def environment(self, more):
        # /run is the host's own: so are the sockets of its jobs.
        return {**os.environ, "WEFT_SSH": self.ssh, "WEFT_RUNTIME_DIR": "/run", **(more or {})}

    def processes(self, name):
        """Command lines of what runs in the host, other than what the host itself is made of."""
        listed = self.run(name, ["ps", "-eo", "pid=,args="]).stdout.splitlines()
        own = ("sleep infinity", "bash -c sleep infinity", "sshd: /usr/sbin/sshd", "/usr/sbin/sshd", "ps -eo", "sshd: root", "sh -c hostname")
        return [line.strip() for line in listed if not line.split(None, 1)[1].startswith(own)]

    def set_link(self, name, up):
        sh("ip", "-n", self.namespace("br"), "link", "set", f"to-{name}", "up" if up else "down")

    @contextlib.contextmanager
    def own_tmp(self, names, kept):
        """These hosts have a /tmp each, in which only these folders, and the hosts' own, are those of all."""
        kept = [path for path in (self.folder, *kept) if path.is_relative_to("/tmp")]
        steps = ["mkdir /run/tmp && mount -t tmpfs none /run/tmp && chmod 1777 /run/tmp",
                 *(f"mkdir -p /run{path} && mount --bind {path} /run{path}" for path in kept),
                 "mount --rbind /run/tmp /tmp"]
        for name in names:
            self.run(name, ["sh", "-c", " && ".join(steps)], check=True)
        try:
            yield
        finally:
            for name in names:
                self.run(name, ["sh", "-c", "umount -l /tmp && umount -l /run/tmp && rmdir /run/tmp"], check=True)

    def tap(self, name, text):
        """Listens to the host's cable (wire_tap.py)."""
        return self.listen(name, "wire_tap.py", text)

    def record(self, name):
        """Records what is said on the host's cable (wire_recorder.py)."""
        return self.listen(name, "wire_recorder.py")

    def listen(self, name, script, *words):
        command = ["ip", "netns", "exec", self.namespace("br"), sys.executable, HERE / script, f"to-{name}", *words]
        tap = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if tap.stdout.readline() != "ready\n":
            raise RuntimeError(f"nothing can listen to the cable of {name}")
        return tap

    def listening(self, name):
        """The addresses at which the host's processes listen, as the kernel writes them; without sshd's."""
        lines = self.run(name, ["cat", "/proc/net/tcp", "/proc/net/tcp6"]).stdout.splitlines()
        places = [words[1].split(":") for line in lines if (words := line.split())[3] == "0A"]
        return [address for address, port in places if int(port, 16) != 22]

    def close(self):
        atexit.unregister(self.close)
        for each in self.daemons:
            os.killpg(each.pid, signal.SIGKILL)
            each.wait()
        self.daemons.clear()
        for name in [*self.names, "br"]:
            subprocess.run(["ip", "netns", "delete", self.namespace(name)], capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)


def quoted(command):
    return shlex.join(str(each) for each in command)
