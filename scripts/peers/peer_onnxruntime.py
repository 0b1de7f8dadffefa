"""ONNX Runtime's attention operators on the CPU, as scripts/peers/compare.py times them.

    peer_onnxruntime.py mha    com.microsoft.MultiHeadAttention (causal: unidirectional)
    peer_onnxruntime.py gqa    com.microsoft.GroupQueryAttention, which is always causal

To decode, mha reads keys and values [1, heads, n, head_dim] as they lie; gqa has all but the last
token in a cache that it extends in place, as when text is generated."""

import sys

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper
from subject import serve

OPERATOR = sys.argv[1]


def merged(array):
    """[heads, n, head_dim] as these operators read it: [1, n, heads * head_dim]."""
    heads, n, head_dim = array.shape
    return numpy.ascontiguousarray(array.transpose(1, 0, 2)).reshape(1, n, heads * head_dim)


def tensor(name, sizes, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, sizes)


def model(shape):
    width = shape.heads * shape.head_dim
    rows, cached = [1, shape.queries, width], [1, shape.heads, shape.n, shape.head_dim]
    new = cached if shape.decodes and OPERATOR == "mha" else rows
    inputs = [tensor("q", rows), tensor("k", new), tensor("v", new)]
    outputs = [tensor("o", rows)]
    constants = []
    if OPERATOR == "mha":
        node = helper.make_node("MultiHeadAttention", list("qkv"), ["o"], domain="com.microsoft",
                                num_heads=shape.heads, unidirectional=int(shape.causal))
    else:
        if shape.visible == "full":
            raise ValueError("GroupQueryAttention is always causal")
        past = ["past_k", "past_v"] if shape.decodes else ["", ""]
        inputs += [tensor(name, cached) for name in past if name]
        outputs += [tensor("present_k", cached), tensor("present_v", cached)]
        constants = [helper.make_tensor("last", TensorProto.INT32, [1, 1], [shape.n - 1]),
                     helper.make_tensor("total", TensorProto.INT32, [], [shape.n])]
        node = helper.make_node("GroupQueryAttention", [*"qkv", *past, "last", "total"],
                                ["o", "present_k", "present_v"], domain="com.microsoft",
                                num_heads=shape.heads, kv_num_heads=shape.heads)
    graph = helper.make_graph([node], "attention", inputs, outputs, constants)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def make(shape, threads, q, k, v):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(model(shape).SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    # Bound once: no copy is timed, outputs are written where they lie.
    binding = session.io_binding()
    value = onnxruntime.OrtValue.ortvalue_from_numpy
    outputs = {}
    if shape.decodes and OPERATOR == "gqa":  # a cache with room for the new token, which it takes in
        for name, array in (("k", k), ("v", v)):
            outputs[f"present_{name}"] = value(array[numpy.newaxis].copy())
            binding.bind_ortvalue_input(f"past_{name}", outputs[f"present_{name}"])
        k, v = k[:, -1:], v[:, -1:]
    keeps = shape.decodes and OPERATOR == "mha"
    inputs = {"q": merged(q), "k": k[numpy.newaxis] if keeps else merged(k),
              "v": v[numpy.newaxis] if keeps else merged(v)}
    for name, array in inputs.items():
        binding.bind_ortvalue_input(name, value(numpy.ascontiguousarray(array)))
    for output in session.get_outputs():
        if output.name not in outputs:
            outputs[output.name] = value(numpy.zeros(output.shape, numpy.float32))
        binding.bind_ortvalue_output(output.name, outputs[output.name])

    def call():
        session.run_with_iobinding(binding)

    def output():
        rows = outputs["o"].numpy().reshape(shape.queries, shape.heads, shape.head_dim)
        return rows.transpose(1, 0, 2)

    return call, output, (3 + len(outputs)) * shape.tensor_bytes()


serve(f"ONNX Runtime {onnxruntime.__version__} {OPERATOR}", make)
