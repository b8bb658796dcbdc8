"""Compile Triton launches for AMD's targets on any host, for the ISA report.

`Compilations.of(launch)` compiles a new specialisation in forked children, one for each target (compiler.py), with a
driver that has no device (driver.py), and reads the resources of the code (resources.py). It depends on neither
interpreter nor device: triton_cpu uses it on a CPU host, gpu/launches.py on a GPU host.
"""
