"""Kernels for `pytest --nbval` that need not import numpy, matplotlib and pandas once for every chapter.

A process that has imported them forks for each notebook: so every notebook still has a kernel of its own, in which no
name is defined and nothing was computed.  With COLD_KERNELS in the environment, as in the last step of `make check`,
each is started from nothing.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import time
from typing import Any

from jupyter_client.provisioning import local_provisioner

IMPORTED = ("ipykernel.kernelapp", "svtcourse.figures.display", "svtcourse.exercises", "pandas", "scipy.stats", "z3")


def _kernel(arguments: list[str], directory: str, environment: dict[str, str]) -> None:
    """The process of one kernel: a session of its own, silent, that ends with the process it was forked from."""
    os.setsid()
    os.environ.update(environment, JPY_PARENT_PID=str(os.getppid()))
    os.chdir(directory)
    silent = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(silent, stream)
    import pandas as pd
    from ipykernel.kernelapp import IPKernelApp

    pd.set_option("display.max_columns", 20)  # what it finds in a kernel, and not in a terminal
    IPKernelApp.launch_instance(argv=arguments)


class Forked:
    """A kernel's process, with the methods of `subprocess.Popen` that jupyter_client calls."""

    stdin = stdout = stderr = None

    def __init__(self, cmd: list[str], *, cwd: str, env: dict[str, str], **_: Any) -> None:
        assert cmd[1:3] == ["-m", "ipykernel_launcher"], cmd
        self.process = multiprocessing.get_context("forkserver").Process(target=_kernel, args=(cmd[3:], str(cwd), env))
        self.process.start()
        self.pid = self.process.pid
        assert self.pid is not None
        while os.getpgid(self.pid) != self.pid:  # signals go to its group: it must not be ours
            time.sleep(0.001)

    def poll(self) -> int | None:
        """The exit code, None while it runs."""
        return self.process.exitcode

    def wait(self) -> int | None:
        """The exit code, when it has ended."""
        self.process.join()
        return self.process.exitcode

    def send_signal(self, number: int) -> None:
        """Send it to the kernel alone, if it has not ended by itself meanwhile (as `subprocess.Popen` does)."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process.pid or 0, number)

    def kill(self) -> None:
        """End it."""
        self.process.kill()

    terminate = kill


def use() -> None:
    """From here on jupyter_client forks its kernels, where the system can."""
    if "COLD_KERNELS" in os.environ or "forkserver" not in multiprocessing.get_all_start_methods():
        return
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")  # as a kernel sets it
    multiprocessing.get_context("forkserver").set_forkserver_preload(list(IMPORTED))
    local_provisioner.launch_kernel = Forked
