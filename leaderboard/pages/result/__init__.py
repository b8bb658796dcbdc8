"""One result: verdict, cases, times, sources, attempts and audits."""
