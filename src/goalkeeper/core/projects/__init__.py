"""What a project declares of itself: its dependencies, how it is set up, how it is tested."""
