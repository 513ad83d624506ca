from workbench.core.draft import load
from workbench.core.position import read
