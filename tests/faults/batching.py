"""Case 41: one call in a batch that fails. The test is a test of tests/end_to_end."""

from security import passes


def fault_41_poisoned_call_in_a_batch():
    passes("batching.py")
