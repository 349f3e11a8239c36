"""A way to compute a stencil with matrix instructions, and the multiply-adds that it executes."""

from dataclasses import dataclass

from nsightlens.models.checks import whole
from nsightlens.models.matrix_unit import SPARSE_DENSITY, useful_fraction


@dataclass(frozen=True, slots=True)
class Scheme:
    """A way to compute a stencil with matrix instructions.

    Attributes
    ----------
    name
        Implementation and variant.
    precision
        Data type of the multiply-adds.
    fits
        Stencils it computes in one pass.
    instructions
        Matrix instructions per ``outputs``.
    instruction_macs
        Multiply-adds that one instruction stands for, zeros of a sparse operand included.
    outputs
        Cells that they give.
    cuda_macs
        Multiply-adds per output that CUDA cores add.
    sparse
        Whether the unit leaves out half of the places (2:4).
    """

    name: str
    precision: str
    fits: str
    instructions: int
    instruction_macs: int
    outputs: int
    cuda_macs: int = 0
    sparse: bool = False

    @property
    def tensor_macs(self) -> float:
        """Multiply-adds of the matrix unit per output, zeros of a sparse operand included."""
        return self.instructions * self.instruction_macs / self.outputs

    @property
    def macs(self) -> float:
        """Multiply-adds of both units per output."""
        return self.tensor_macs + self.cuda_macs

    @property
    def physical_macs(self) -> float:
        """Multiply-adds that hardware does per output: half, for a sparse unit."""
        return self.tensor_macs * (SPARSE_DENSITY if self.sparse else 1.0) + self.cuda_macs

    def useful(self, taps: int) -> float:
        """Return the useful part of the multiply-adds if the (fused) stencil has this many points, in 0...1.

        Raises
        ------
        ModelError
            If the stencil needs more than are executed.
        """
        return useful_fraction(taps, self.macs)

    def macs_per_update(self, steps: int) -> float:
        """Return the multiply-adds per cell and base step if ``steps`` of them are fused into one pass.

        Raises
        ------
        ModelError
            If ``steps`` is not a whole number from 1.
        """
        whole(steps=steps)
        return self.macs / steps
