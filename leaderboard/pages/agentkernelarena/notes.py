"""What differs where a task's provenance does not say: anchors whose digests were frozen before it had such a note."""

from __future__ import annotations

from collections.abc import Mapping

NOTES: Mapping[str, str] = {
    "hip2hip/arena/SoftmaxModule": "the public task takes cubes of at most 64 elements a side, so that only launches "
    "are timed, in float32 alone; here rows are as long as in models, up to a vocabulary, and stand apart in memory",
    "hip2hip/arena/layer_normalization": "the public operator divides by the deviation of a sample and adds eps to it, "
    "has rows of four elements, a gamma of ones and a beta of zeros, and is float32 alone; here it is the layer "
    "normalisation of PyTorch, weight and bias are drawn, and rows are as long as in transformers",
    "torch2hip/arena/SoftmaxModule": "the public task takes cubes of at most 64 elements a side along the last axis, "
    "so that only launches are timed, in float32 alone; here the axis is the middle one of three, which also gives the "
    "rows of a classifier and the pixels of an image",
    "torch2hip/arena/layer_normalization": "the operator is the public one, which adds eps to the deviation of a "
    "sample; the public task has rows of four elements, a gamma of ones and a beta of zeros, which a kernel may "
    "ignore, in float32 alone; here weight and bias are drawn, and rows are as long as in transformers",
    "triton2triton/arena/per_token_group_quant_fp8": "the public task takes AMD's form of the 8-bit float also where "
    "the device has the other one, and compares after multiplying back, within 0.1, so that a step too far passes, at "
    "sizes that take microseconds; here the form is e4m3fn and sizes are those of served models. Its option to round "
    "scales to powers of two, which it never tests, is left out",
    "triton2triton/arena/softmax": "the public task is also timed in 16-bit floats and checked in float32 alone; here "
    "every dtype that is timed is checked, and masks of minus infinity are drawn, with which the public kernel's rows "
    "may begin and become NaN",
}
