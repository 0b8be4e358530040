"""Every message that crosses a process border, as JSON lines."""

from engine.protocol.codec import *  # noqa: F403
from engine.protocol.commands import *  # noqa: F403
from engine.protocol.events import *  # noqa: F403
from engine.protocol.records import *  # noqa: F403
from engine.protocol.values import *  # noqa: F403
