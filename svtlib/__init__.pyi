"""What `import svtlib as svt` offers; each name is loaded from its module when it is first used."""

from svtcourse import exercises as exercises
from svtcourse.chapter import experiments as experiments
from svtcourse.chapter.budget_book import (
    Ledger as Ledger,
)
from svtcourse.chapter.clipping import (
    clipping_bound as clipping_bound,
    first_positives as first_positives,
    rows_above as rows_above,
)
from svtcourse.chapter.correction import (
    success_probability as success_probability,
    threshold_correction as threshold_correction,
)
from svtcourse.chapter.curve import (
    PairCurve as PairCurve,
    pair_curve as pair_curve,
)
from svtcourse.chapter.renyi import (
    gaussian_noise as gaussian_noise,
    renyi_bound as renyi_bound,
)
from svtcourse.claims import (
    claim as claim,
)
from svtcourse.judge.judge import (
    judge as judge,
)

from .bits import (
    Bits as Bits,
)
from .budget import (
    Budget as Budget,
    Scale as Scale,
    Split as Split,
)
from .catalogue import (
    Variant as Variant,
    variant as variant,
    variants as variants,
)
from .exact import (
    log_probability as log_probability,
    privacy_loss as privacy_loss,
)
from .guarantee import (
    Approximate as Approximate,
    Renyi as Renyi,
    pure as pure,
)
from .mechanism import (
    ABORT as ABORT,
    Answer as Answer,
    BudgetExhausted as BudgetExhausted,
    Mechanism as Mechanism,
    NoiseTape as NoiseTape,
    Session as Session,
    Transcript as Transcript,
    run as run,
)
from .noise import (
    Exponential as Exponential,
    Gaussian as Gaussian,
    Geometric as Geometric,
    Gumbel as Gumbel,
    Laplace as Laplace,
    Noise as Noise,
    NoNoise as NoNoise,
)
from .proofs.alignment import (
    AlignmentReport as AlignmentReport,
    check_alignment as check_alignment,
)
from .proofs.audit import (
    AuditResult as AuditResult,
    audit as audit,
    sampler_of as sampler_of,
)
from .proofs.certify import (
    Certificate as Certificate,
    certify as certify,
)
from .proofs.decide import (
    Decision as Decision,
    decide as decide,
)
from .proofs.prove import (
    Proof as Proof,
    prove as prove,
)
from .proofs.search import (
    Counterexample as Counterexample,
    worst_case as worst_case,
)
from .proofs.verdicts import (
    actual_epsilon as actual_epsilon,
    catalogue as catalogue,
)
from .select.accuracy import (
    failure_probability as failure_probability,
    smallest_alpha as smallest_alpha,
)
from .select.counts import (
    Counts as Counts,
    load_adult as load_adult,
)
from .select.expectation import (
    Expectation as Expectation,
    expected_error as expected_error,
)
from .select.exponential import (
    exponential_mechanism as exponential_mechanism,
    noisy_max_law as noisy_max_law,
    peeled_exponential_mechanism as peeled_exponential_mechanism,
    top_law as top_law,
)
from .select.metrics import (
    f1 as f1,
    fnr as fnr,
    ncr as ncr,
    precision as precision,
    recall as recall,
    ser as ser,
)
from .select.planning import (
    best_split as best_split,
    least_epsilon as least_epsilon,
    most_queries as most_queries,
)
from .select.scores import (
    Scores as Scores,
    load_scores as load_scores,
)
from .select.selections import (
    Selections as Selections,
)
from .select.simulate import (
    simulate as simulate,
)
from .workload import (
    Sensitivity as Sensitivity,
    Workload as Workload,
)
