"""The actions of ``lib_osc/roqsim.osc``, by what they are about."""
