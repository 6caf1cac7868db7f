is 1 1 "the goal is met"
