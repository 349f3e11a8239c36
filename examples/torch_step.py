"""Training steps of a small network in PyTorch: ranges train / step N / forward, loss, backward, optimizer.

python examples/torch_step.py
nsightlens profile -- python examples/torch_step.py
nsightlens analyze REPORT --nvtx 'nsightlens/train/step 1/backward'
"""

import argparse
from copy import deepcopy
from typing import Any

from common import cuda_torch, run, stop

from nsightlens import annotate

FLOAT_BYTES = 4
LEARNING_RATE = 0.1
TOLERANCE = 1e-4
"""Largest deviation of a weight from the same steps in FP64 on the CPU, over the largest change of any weight."""


def main() -> None:
    """Train on random data, then do the same on the CPU and compare."""
    parser = argparse.ArgumentParser(description="Train a small network for a few steps, and check its weights.")
    parser.add_argument("--steps", type=int, default=2, help="training steps (default: 2)")
    parser.add_argument("--batch", type=int, default=512, help="samples a step (default: 512)")
    parser.add_argument("--width", type=int, default=512, help="inputs and outputs (default: 512)")
    parser.add_argument("--hidden", type=int, default=2048, help="units between them (default: 2048)")
    options = parser.parse_args()
    torch = cuda_torch()
    torch.manual_seed(0)
    layers = torch.nn
    model = layers.Sequential(
        layers.Linear(options.width, options.hidden, bias=False),
        layers.Tanh(),
        layers.Linear(options.hidden, options.width, bias=False),
    )
    x, target = torch.randn(2, options.batch, options.width)
    before, expected = deepcopy(model).double(), deepcopy(model).double()
    for _ in range(options.steps):
        plain_step(torch, expected, x.double(), target.double())
    model, x, target = model.cuda(), x.cuda(), target.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    torch.cuda.synchronize()
    # Autograd runs the backward pass in a thread of its own, and NVTX ranges hold for one thread: keep it in this one.
    with torch.autograd.set_multithreading_enabled(False), annotate("train"):
        for number in range(options.steps):
            with annotate(f"step {number}", payload=number):
                step(model, optimizer, x, target)
    torch.cuda.synchronize()
    error = deviation(model, expected, before)
    if not error <= TOLERANCE:
        stop(f"wrong weights: deviation {error:.3g}, allowed {TOLERANCE:.3g}")
    print(f"torch_step: {options.steps} steps, weights as on the CPU (deviation {error:.1e})")


def step(model: Any, optimizer: Any, x: Any, target: Any) -> None:  # noqa: ANN401
    """Make one training step, each part in a range that declares its work where the algorithm knows it."""
    weights = sum(each.numel() for each in model.parameters())
    product_flop = 2 * x.shape[0] * weights  # both layers once
    moved = FLOAT_BYTES * (weights + 2 * x.numel())
    with annotate("forward", flop=product_flop, dram_bytes=moved):
        y = model(x)
    with annotate("loss"):
        loss = loss_of(y, target)
    optimizer.zero_grad(set_to_none=True)
    # The gradients of two weight matrices and of one input: nobody asks for that of x.
    with annotate("backward", flop=product_flop * 3 // 2):
        loss.backward()
    with annotate("optimizer", flop=2 * weights, dram_bytes=3 * FLOAT_BYTES * weights):
        optimizer.step()


def loss_of(y: Any, target: Any) -> Any:  # noqa: ANN401
    """Return the squared error of a sample, averaged over the batch."""
    return (y - target).square().sum() / len(y)


def plain_step(torch: Any, model: Any, x: Any, target: Any) -> None:  # noqa: ANN401
    """Make one step of gradient descent without an optimizer."""
    loss = loss_of(model(x), target)
    parameters = list(model.parameters())
    gradients = torch.autograd.grad(loss, parameters)
    with torch.no_grad():
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.sub_(gradient, alpha=LEARNING_RATE)


def deviation(model: Any, expected: Any, before: Any) -> float:  # noqa: ANN401
    """Return the largest deviation of a weight, over the largest change of any weight of its matrix."""
    weights = (each.parameters() for each in (model, expected, before))
    errors = [
        (found.detach().cpu().double() - right).abs().max() / (right - first).abs().max()
        for found, right, first in zip(*weights, strict=True)
    ]
    return float(max(errors))


if __name__ == "__main__":
    run(main)
