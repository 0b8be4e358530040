"""From logits to text: samplers, grammars, stop strings, detokenizing."""
