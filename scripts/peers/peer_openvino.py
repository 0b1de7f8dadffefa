"""OpenVINO's ScaledDotProductAttention on the CPU, as scripts/peers/compare.py times it."""

import numpy
import openvino
from openvino import opset13
from subject import serve

core = openvino.Core()


def make(shape, threads, q, k, v):
    sizes = [[1, *array.shape] for array in (q, k, v)]
    inputs = [opset13.parameter(size, numpy.float32, name=name) for size, name in zip(sizes, "qkv")]
    node = opset13.scaled_dot_product_attention(*inputs, causal=shape.causal)
    model = openvino.Model([node], inputs, "attention")
    compiled = core.compile_model(model, "CPU", {
        "INFERENCE_NUM_THREADS": threads,
        "NUM_STREAMS": 1,
        "INFERENCE_PRECISION_HINT": "f32",  # on some processors the default is bf16
    })
    request = compiled.create_infer_request()
    # Tensors share the arrays' memory: no copy is timed. `kept` holds what they point to.
    kept = [array.reshape(size) for size, array in zip(sizes, (q, k, v))]
    for port, array in zip(compiled.inputs, kept):
        request.set_tensor(port, openvino.Tensor(array, shared_memory=True))

    def call():
        request.start_async()
        request.wait()
        return kept

    return call, lambda: request.get_output_tensor(0).data[0], shape.tensor_bytes()


serve(f"OpenVINO {openvino.__version__}", make)
