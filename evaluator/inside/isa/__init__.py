"""Every Triton launch compiled for AMD's targets on any host: what the ISA report is made of.

`Compilations.of(launch)` compiles a new specialisation in forked children, one for each target (compiler.py), each
under a driver that has no device (driver.py), and reads what the code needs (resources.py). It knows neither
interpreter nor device: triton_cpu uses it on a host without a GPU, gpu/launches.py on one that has any.
"""
