"""The folder that is on the search path of a mounted task whose questions are noted; nothing else of ours is."""
