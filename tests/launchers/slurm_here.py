# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A cluster of Slurm that is this machine alone, for tests: munged, slurmctld and slurmd, with all their files in one
folder and ports of their own. Takes root, as slurmd does."""

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
    def __init__(self, folder, processors):
        self.folder = pathlib.Path(folder)
        self.processors = processors
        self.daemons = []
        self.environment = {"SLURM_CONF": str(self.folder / "slurm.conf")}
        try:
            self.start_munge()
            self.start_slurm()
        except BaseException:
            self.close()
            raise

    def daemon(self, name, *words):
        log = open(self.folder / f"{name}.log", "w", encoding="utf-8")
        environment = {**os.environ, **self.environment, "PATH": f"{os.environ['PATH']}:/usr/sbin"}
        self.daemons.append(subprocess.Popen([name, *map(str, words)], env=environment, stdin=subprocess.DEVNULL, stdout=log,
                                             stderr=log, start_new_session=True))

    def start_munge(self):
        munge = self.folder / "munge"
        munge.mkdir(mode=0o755)
        key = munge / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self.daemon("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={munge}/socket",
                    f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed")
        self.wait_until(lambda: (munge / "socket").exists(), "munged")

    def start_slurm(self):
        name = socket.gethostname()
        for each in ("state", "spool"):
            (self.folder / each).mkdir()
        (self.folder / "slurm.conf").write_text(f"""
ClusterName=weft
SlurmctldHost={name}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={self.folder}/munge/socket
CredType=cred/munge
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MpiDefault=none
SlurmdParameters=config_overrides
KillWait=2
NodeName={name} NodeAddr=127.0.0.1 CPUs={self.processors} State=UNKNOWN
PartitionName=all Nodes={name} Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:64
""", encoding="utf-8")
        self.daemon("slurmctld", "-D", "-c", "-f", self.folder / "slurm.conf")
        self.daemon("slurmd", "-D", "-c", "-f", self.folder / "slurm.conf", "-N", name)
        self.wait_until(self.is_idle, "slurmd")

    def is_idle(self):
        told = subprocess.run(["sinfo", "-h", "-o", "%T"], env={**os.environ, **self.environment}, capture_output=True, text=True,
                              timeout=TIMEOUT, check=False)
        return told.stdout.strip() == "idle"

    def wait_until(self, condition, what):
        end = time.monotonic() + TIMEOUT
        while not condition():
            dead = [each.args[0] for each in self.daemons if each.poll() is not None]
            if dead or time.monotonic() > end:
                logs = "".join(each.read_text() for each in self.folder.glob("*.log"))
                raise RuntimeError(f"{what} does not start: {logs[-3000:]}")
            time.sleep(0.1)

    def close(self):
        for each in reversed(self.daemons):
            each.terminate()
        for each in reversed(self.daemons):
            try:
                each.wait(TIMEOUT)
            except subprocess.TimeoutExpired:
                each.kill()
                each.wait()
        self.daemons = []
