-- What wrk says at its end, as one line of JSON: times in microseconds.
function done(summary, latency)
  local e = summary.errors
  io.write(string.format('{"p50": %d, "p95": %d, "requests": %d, "duration": %d, "errors": %d}\n',
    latency:percentile(50), latency:percentile(95), summary.requests, summary.duration,
    e.connect + e.read + e.write + e.status + e.timeout))
end
