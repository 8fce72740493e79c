"""CrewAI without its telemetry, and with the data of the tests beside this folder."""

import os
import sys
import tempfile
from pathlib import Path

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_TRACING_ENABLED="false", CREWAI_STORAGE_DIR=tempfile.mkdtemp())
sys.path.insert(0, str(Path(__file__).parent.parent))
