"""Scripts that fit, evaluate and play agents. Run them from a checkout: ``python -m train.evaluate``."""

import os

# Threads of torch that wait for each other should sleep, not spin: with other busy processes on the machine, spinning made
# training several times slower. The OpenMP runtime reads this once, when torch is first imported.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
