"""What clients call at every prompt and every stop: nothing here may weigh anything."""
