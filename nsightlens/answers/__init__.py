"""Answers of the models to a question about a kernel and a GPU: numbers, verdict, reasoning, assumptions."""
