# expect: build_failed/import_error
# Raises an exception whose text no file can hold.
raise RuntimeError("\ud800 \x00 \x1b[31m nope")
