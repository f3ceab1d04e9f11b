"""Whether a device multiplies fast in bf16. A processor that has no instruction for it does so in
software, some hundred times slower than in fp32."""

import torch


def fast_in_bf16(device: torch.device) -> bool:
    """Whether products in bf16 take less time than in fp32 on a device."""
    if device.type == "cpu":
        return torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    return device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
