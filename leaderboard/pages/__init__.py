"""Pages as frozen values: a builder asks the queries, counts, and makes the tables and charts.

HTML, JSON, CSV and SVG are made of the same object, so they cannot say different things. A builder gets the query of
the URL and its parts, and returns None where there is no such thing.
"""
