"""Two parties in turns: a simulator that plays a person against an agent, and a worker that drives one."""
