"""Pure functions of MjSpec, MjModel and MjData; nothing of roqsim in here."""

from roqsim.mj.log import route_messages

route_messages()
