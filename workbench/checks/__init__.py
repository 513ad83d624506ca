"""The shared list of checks that every ruleset and draft must pass, and worked examples that run."""

from workbench.checks.examples import Example, Failure, read_examples, run_example
from workbench.checks.registry import CHECKS, Check, check
from workbench.checks.report import Report, Row
from workbench.checks.transcripts import transcript, write_transcripts

__all__ = ["CHECKS", "Check", "Example", "Failure", "Report", "Row", "check", "read_examples", "run_example", "transcript",
           "write_transcripts"]
