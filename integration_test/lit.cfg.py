# Configuration of this lit suite. utils/tcgemm_lit.py has the common part of both
# suites. Run it by ctest, or by lit on the build's folder.
import os
import sys

sys.path.insert(0, os.path.join(config.tcgemm_source_dir, "utils"))
import tcgemm_lit

config.name = "tcgemm-integration_test"
config.test_source_root = os.path.dirname(__file__)
tcgemm_lit.configure(config, lit_config)
