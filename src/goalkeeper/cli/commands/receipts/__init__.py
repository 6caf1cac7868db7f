"""Commands about receipts and the keys that sign them."""
