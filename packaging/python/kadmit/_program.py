"""Where the program is."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig


def find_program() -> str:
    """Returns the path of the program: the one of this installation, or else the one on the PATH.

    The environment variable KADMIT names another one.
    """
    named = os.environ.get("KADMIT")
    if named:
        return named
    file = "kadmit" + (sysconfig.get_config_var("EXE") or "")
    user = sysconfig.get_path("scripts", f"{os.name}_user")
    for directory in (sysconfig.get_path("scripts"), os.path.dirname(sys.executable), user):
        path = os.path.join(directory, file)
        if os.path.isfile(path):
            return path
    found = shutil.which("kadmit")
    if found:
        return found
    raise FileNotFoundError("there is no program kadmit, neither in this installation nor on the PATH")
