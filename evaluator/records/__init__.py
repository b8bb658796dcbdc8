"""Results as versioned JSON: records, measurements, reasons, agent sessions and device calibrations."""
