"""What a reader finds in a source, and which rules put a result on hold."""

from __future__ import annotations

from typing import NamedTuple

LISTS = "2026-11-30"  # the version of the lists, which holds name
UNREADABLE = "unreadable_source"
STREAMS = "streams"
KEEPS_STATE = "keeps_state"

# Rules that hold nothing by themselves: they tell a person what a source does, and honest sources do it too. Every
# other rule holds, one that nobody has listed here included.
LABELS = {
    "library_operator": "lets the library compute",
    KEEPS_STATE: "keeps something from one call to the next, or could",
    "reads_on_the_host": "waits on the host for values of the device",
    "device_assembly": "has assembly for the device",
    "computed_options": "launches with options from a mapping that is not written there",
    "sets_switches": "sets switches of the library",
    "depends_on_the_compiler": "has code that not every compiler sees",
}
# What the rules of the lists say of a source. The other rules are labels of capabilities, and their names say it.
RULES = LABELS | {
    UNREADABLE: "cannot be read",
    STREAMS: "uses streams, events or graphs",
    "unlisted_import": "imports what kernels are not known to need",
    "unlisted_name": "uses names that kernels are not known to need",
    "unlisted_attribute": "uses attributes that kernels are not known to need",
    "unlisted_base": "derives classes from others than kernels are known to need",
    "unlisted_decorator": "uses decorators that kernels are not known to need",
    "unlisted_option": "gives options or keywords that kernels are not known to need",
    "unlisted_syntax": "uses syntax that kernels are not known to need",
    "computed_name": "makes names when it runs",
    "text_as_code": "has text that could run as code",
    "module_as_value": "hands modules around",
    "class_as_value": "hands classes around",
    "foreign_attribute_set": "sets attributes of what is not its own",
    "two_meanings": "gives a module or a class another meaning, too",
    "not_quantised": "does not show that it computes in the quantised form that the task asks for",
    # of .hip sources, by their text
    "header": "includes headers that kernels are not known to need",
    "directive": "asks more of the preprocessor than kernels are known to need",
    "hidden_text": "is written in a way that hides what it says",
    "foreign_word": "uses words of Python, of its binding or of torch's registration",
    "of_the_evaluator": "names parts of the evaluator",
    "builtin": "uses builtins of the compiler that kernels are not known to need",
    "linkage": "declares functions of C",
    "operator_new": "calls or replaces the operators that allocate memory",
    "runtime_function": "uses functions of the runtime that kernels are not known to need",
    "namespace": "opens, renames or extends namespaces of libraries",
    "member": "uses members that kernels are not known to need",
    "attribute": "uses attributes of the compiler that kernels are not known to need",
    "assembly": "has assembly that is not for the device",
    # of .hip sources, by what their compiler made of them
    "unreadable_object": "was built, and what it uses cannot be read",
    "open_symbol": "needs symbols that kernels are not known to need",
    "field_of_a_library": "reaches into objects of Python or of a library",
    "host_assembly": "has assembly in functions of the host",
    "runs_before_calls": "has functions that run when it is loaded or unloaded",
    "system_call": "has instructions that call the operating system",
}


class SourceFinding(NamedTuple):
    """One use of something that is on no list, or that a reader should know: `rule` is a code, `name` what was used."""

    line: int
    rule: str
    name: str

    def holds(self, *, clock_covers_streams: bool) -> bool:
        """Whether it puts the result on hold. Streams do unless the clock waits for the work of all of them."""
        return self.rule not in LABELS and not (self.rule == STREAMS and clock_covers_streams)
