"""The only writer of rows. Functions take keywords, run in one transaction, and refuse before anything changes.

Runs and results
run_actions   create runs, run again, pause, resume, cancel
starts        start runs of a built-in agent, one for each repeat
publishing    publish, withdraw, and take either back
queue_order   positions in the queue
spending      cost estimates and caps of paid models
imports       store a bundle as a run
measurements  insert rows of measurements

Workers
leases        take an attempt, heartbeat, verdict, release; expired leases, lost messages
sessions      agent sessions, run here or brought by a bundle
replaced      sessions without a candidate that a rerun replaces
unseen        evaluations on unseen cases
rounds        open and reveal rounds of unseen cases
hosts         heartbeats, facts, quarantine

Submissions
submissions   receive, check, accept or reject, close
facts         facts that a submitter adds later
names         the configuration that declared facts name
suspicions    reviews that a new bundle opens by itself
verification  evaluate a bundle's candidates again
takedowns     remove a submission's bundle, sources and sessions
audits        audits of results, replies, decisions on reviews
quotes        lines that an audit quotes, looked up in the candidate's source

Site
accounts      roles, closing, passwords and second factors of other people
tokens        API tokens
catalog       mirror tasks, suites and the papers' tables
registry      agents, models, configurations, device classes, hosts, suites
audit_log     the entry that each action leaves
revision      the counter of public changes
"""
