"""`python -m svtlib`: the command line of the course."""

import sys

from svtcourse.command_line import main

sys.exit(main())
