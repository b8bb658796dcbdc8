"""kill -9 -1, after making sure that it is refused: elsewhere it would end the host's session."""

from __future__ import annotations

import json
import os

said = []
for number in (0, 9):
    try:
        os.kill(-1, number)
        said.append("sent")
        break
    except PermissionError:
        said.append("refused")
print(json.dumps(said))
