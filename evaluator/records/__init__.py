"""The values of a result: record, measurements, reasons, agent sessions and device calibrations, as versioned JSON."""
