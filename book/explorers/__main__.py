"""`python -m svtcourse.explorers`."""

import sys

from . import main

sys.exit(main())
