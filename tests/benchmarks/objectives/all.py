"""All objectives."""

from tests.benchmarks.objectives.bundle import BUNDLE
from tests.benchmarks.objectives.gmm import GMM
from tests.benchmarks.objectives.hand import HAND
from tests.benchmarks.objectives.lstm import LSTM

OBJECTIVES = (GMM, BUNDLE, HAND, LSTM)
