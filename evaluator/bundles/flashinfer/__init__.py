"""FlashInfer-Bench traces."""
