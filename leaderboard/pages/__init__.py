"""Pages as frozen values, each with a builder that reads the queries, counts, and makes tables and charts.

HTML, JSON, CSV and SVG come from the same object, so they cannot disagree. A builder gets the query parameters and the
parts of the URL, and returns None if there is nothing at the address.
"""
