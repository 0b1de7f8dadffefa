"""PyTorch's scaled_dot_product_attention on the CPU, as scripts/peers/compare.py times it."""

import torch
from subject import serve


def make(shape, threads, q, k, v):
    torch.set_num_threads(threads)
    # [1, heads, n, head_dim], as its documentation has it.
    operands = [torch.from_numpy(array).unsqueeze(0) for array in (q, k, v)]
    attention = torch.nn.functional.scaled_dot_product_attention
    last = [None]

    def call():
        with torch.inference_mode():
            last[0] = attention(*operands, is_causal=shape.causal)

    return call, lambda: last[0][0].numpy(), shape.tensor_bytes()


serve(f"PyTorch {torch.__version__}", make)
