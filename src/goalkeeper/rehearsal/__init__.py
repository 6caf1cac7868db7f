"""An agent that needs no model: it follows a script, and works, lies, stalls or crashes as told."""
