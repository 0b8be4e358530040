"""python -m engine.host: the host for a window, over stdin and stdout, without the local API."""

import sys

from engine.host.window_host import run_windowed

if __name__ == "__main__":
    sys.exit(run_windowed())
