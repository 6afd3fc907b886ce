"""What `import svtlib as svt` offers; each name is loaded from its module when it is first used."""

from svtcourse import exercises as exercises
from svtcourse.chapter.accuracy import failure_probability as failure_probability, smallest_alpha as smallest_alpha
from svtcourse.chapter.budget_book import Ledger as Ledger
from svtcourse.chapter.compare import compare as compare
from svtcourse.chapter.correction import (
    success_probability as success_probability,
    threshold_correction as threshold_correction,
)
from svtcourse.chapter.curve import pair_curve as pair_curve
from svtcourse.chapter.laws import noisy_max_law as noisy_max_law, top_law as top_law
from svtcourse.chapter.renyi import renyi_bound as renyi_bound
from svtcourse.claim_cards import claim as claim
from svtcourse.judge.judge import judge as judge

from .bits import Bits as Bits
from .catalogue import variant as variant, variants as variants
from .exact.probability import log_probability as log_probability, privacy_loss as privacy_loss
from .mechanism import (
    ABORT as ABORT,
    BudgetExhausted as BudgetExhausted,
    Mechanism as Mechanism,
    NoiseTape as NoiseTape,
    Session as Session,
    run as run,
)
from .noise import (
    Exponential as Exponential,
    Gaussian as Gaussian,
    Geometric as Geometric,
    Gumbel as Gumbel,
    Laplace as Laplace,
    NoNoise as NoNoise,
)
from .proofs.alignment import check_alignment as check_alignment
from .proofs.audit import audit as audit, sampler_of as sampler_of
from .proofs.certify import certify as certify
from .proofs.decide import decide as decide
from .proofs.prove import prove as prove
from .proofs.search import worst_case as worst_case
from .proofs.verdicts import actual_epsilon as actual_epsilon, catalogue as catalogue
from .select.counts import load_adult as load_adult
from .select.expectation import expected_error as expected_error
from .select.scores import load_scores as load_scores
from .select.simulate import exponential_mechanism as exponential_mechanism, simulate as simulate
from .workload import Workload as Workload
