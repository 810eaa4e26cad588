# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A cluster of Slurm for tests: munged, slurmctld and slurmd, with all their files in one folder and ports of their own.
Its hosts are this machine alone, or those of a HostLab (tests/hosts/host_lab.py). Takes root, as slurmd does."""

import os
import pathlib
import shutil
import socket
import subprocess
import time

TIMEOUT = 60  # seconds, for a daemon to answer
PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sinfo")


def why_not():
    """What keeps such a cluster from being made here, or nothing."""
    if os.geteuid() != 0:
        return "slurmd takes root"
    missing = [each for each in PROGRAMS if shutil.which(each, path=f"{os.environ['PATH']}:/usr/sbin") is None]
    return f"not installed: {', '.join(missing)}" if missing else ""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class SlurmHere:
    def __init__(self, folder, processors, lab=None):
        self.folder = pathlib.Path(folder)
        self.lab = lab
        self.hosts = lab.names if lab else [socket.gethostname()]
        self.processors = processors
        self.daemons = []
        self.environment = {"SLURM_CONF": str(self.folder / "slurm.conf")}
        try:
            self.start_munge()
            self.start_slurm()
        except BaseException:
            self.close()
            raise

    def on(self, host, *words):
        """The command, to be run on the host."""
        return self.lab.inside(host, words) if self.lab else [str(each) for each in words]

    def daemon(self, name, words):
        environment = {**os.environ, **self.environment, "PATH": f"{os.environ['PATH']}:/usr/sbin"}
        with open(self.folder / f"{name}.log", "w", encoding="utf-8") as log:
            bound = ["setpriv", "--pdeathsig", "KILL", *words]  # however this process ends
            self.daemons.append(subprocess.Popen([str(each) for each in bound], env=environment, stdin=subprocess.DEVNULL,
                                                 stdout=log, stderr=log, start_new_session=True))

    def start_munge(self):
        munge = self.folder / "munge"
        munge.mkdir(mode=0o755)
        key = munge / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self.daemon("munged", ["munged", "--foreground", "--force", f"--key-file={key}", f"--socket={munge}/socket",
                               f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed"])
        self.wait_until(lambda: (munge / "socket").exists(), "munged")

    def start_slurm(self):
        for each in ("state", *self.hosts):
            (self.folder / each).mkdir()
        addresses = [f"10.99.0.{number + 1}" if self.lab else "127.0.0.1" for number in range(len(self.hosts))]
        nodes = "\n".join(f"NodeName={name} NodeAddr={address} CPUs={self.processors} State=UNKNOWN"
                          for name, address in zip(self.hosts, addresses))
        # The scheduler's intervals are a minute and half a minute else, and a job waits for them that comes while the last one ends.
        (self.folder / "slurm.conf").write_text(f"""
ClusterName=weft
SlurmctldHost={self.hosts[0]}({addresses[0]})
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={self.folder}/munge/socket
CredType=cred/munge
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool-%n
TmpFS={self.folder}/%n
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MpiDefault=none
SlurmdParameters=config_overrides
KillWait=2
SchedulerParameters=sched_interval=1,bf_interval=1
{nodes}
PartitionName=all Nodes={','.join(self.hosts)} Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:64
""", encoding="utf-8")
        # Not used: named so that slurmd does not look for them, as the hosts of a lab have none.
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n", encoding="utf-8")
        options = ("-D", "-c", "-f", self.folder / "slurm.conf")
        self.daemon("slurmctld", self.on(self.hosts[0], "slurmctld", *options))
        for name in self.hosts:
            self.daemon(f"slurmd-{name}", self.on(name, "slurmd", *options, "-N", name))
        self.wait_until(self.are_idle, "slurmd")

    def are_idle(self):
        told = subprocess.run(self.on(self.hosts[0], "sinfo", "-h", "-N", "-o", "%T"), env={**os.environ, **self.environment},
                              capture_output=True, text=True, timeout=TIMEOUT, check=False)
        return told.stdout.split() == ["idle"] * len(self.hosts)

    def wait_until(self, condition, what):
        end = time.monotonic() + TIMEOUT
        while not condition():
            dead = [each.args[0] for each in self.daemons if each.poll() is not None]
            if dead or time.monotonic() > end:
                logs = "".join(each.read_text() for each in self.folder.glob("*.log"))
                raise RuntimeError(f"{what} does not start: {logs[-3000:]}")
            time.sleep(0.1)

    def close(self):
        """Of a lab, the daemons in its hosts end with it."""
        for each in reversed(self.daemons):
            each.terminate()
        for each in reversed(self.daemons):
            try:
                each.wait(TIMEOUT)
            except subprocess.TimeoutExpired:
                each.kill()
                each.wait()
        self.daemons = []
