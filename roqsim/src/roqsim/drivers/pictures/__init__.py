"""``roqsim render``: a subject, a camera, and stills or videos of it."""
