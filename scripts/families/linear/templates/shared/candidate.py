"""{{ words }}"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
{% if "libdevice" in after %}
from triton.language.extra import libdevice
{% endif %}


{% include "shared/product.py" %}
{% if then is defined %}


{{ then }}
{%- endif %}


def forward({{ signature }}) -> torch.Tensor:
{% include "shared/launch.py" %}
