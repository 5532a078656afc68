"""The debate: seats, rounds, convergence, synthesis."""
