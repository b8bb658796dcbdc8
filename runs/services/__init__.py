"""The only writer of rows. Keyword-only, one transaction each; what cannot be done is refused before anything changes.

entries      create runs, run again, pause, resume, cancel
publishing   what of runs is public: publish, withdraw, take either back
claims       a worker's side: claim, heartbeat, verdict, release; and the sweeper's: dead claims, lost messages
sessions     a worker's side of an agent's session; those that bundles bring
replaced     sessions without a candidate, in whose place a rerun has another held
starts       runs of an agent of ours, by repeats
spending     estimates and caps of what calls a paid model
unseen       a worker's side of unseen cases: which they are, what became of them
imports      a bundle from elsewhere as a run
rounds       open and reveal rounds of unseen cases
hosts        signs of life, what a host runs on, quarantine
submissions  what is handed in: received, checked, accepted, closed
facts        what a bundle does not say, added after hand-in
suspicions   what a new bundle resembles
verification claims measured again
takedowns    bundle, sources and sessions of a submission, removed
audits       what people find, answers to it, decisions
accounts     roles, closing, passwords and second factors of others
tokens       of programs that hand in
names        the configuration of what a submitter says
mirror       tasks and suites as tasks/ has them, the published tables
registry     agents, models, configurations, device classes, hosts, suites of one's own
revision     how often anything public may have changed
measured, trail, turns: rows of measurements, the entry that each action leaves, places in the queue: for the others
"""
