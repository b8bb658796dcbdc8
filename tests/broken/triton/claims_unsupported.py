# expect: crashed/raised
# Raises a class of its own named like one of ours.
class UnsupportedFeature(Exception):
    pass


def forward(x):
    raise UnsupportedFeature('quantum annealing')
