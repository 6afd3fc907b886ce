# `make` alone lists the commands.  The logic lives in tools/; this file only names it.

.DEFAULT_GOAL := help
.PHONY: help environment evidence book serve test check browser notebooks lab assignment grade student-site slides pdf offline doctor bench reference catalogue certificates proofs lock clean
MAKEFLAGS += --no-print-directory

PORT ?= 8000
PY := .venv/bin/python

# The same run on every machine: nothing from outside .venv, no dates, no colour codes, no user configuration.
unexport PYTHONPATH PYTHONHOME PYTHONSTARTUP JUPYTER_PATH JUPYTER_CONFIG_PATH MPLBACKEND MATPLOTLIBRC
# Every kernel and every worker would compile svtlib for itself.
unexport PYTHONDONTWRITEBYTECODE
# Where the repository is published: then chapters have buttons for Colab and Binder.
export REPOSITORY_URL
export PYTHONNOUSERSITE := 1
export PYTHONHASHSEED := 0
export PYTHONUTF8 := 1
# The work is shared out between processes: threads of linear algebra on top of that only wait for each other.
export OPENBLAS_NUM_THREADS := 1
export OMP_NUM_THREADS := 1
export SOURCE_DATE_EPOCH := 0
export JUPYTER_PREFER_ENV_PATH := 1
export JUPYTER_PLATFORM_DIRS := 1
export PYDEVD_DISABLE_FILE_VALIDATION := 1
export IPYTHONDIR := $(CURDIR)/.venv/var/ipython
export MPLCONFIGDIR := $(CURDIR)/.venv/var/matplotlib

help:
	@sed -n 's/^## //p' Makefile

## The Sparse Vector Technique: commands
##
##   make book        the environment if it is missing, then the site in _build/html
##   make serve       show the site on http://localhost:8000 (PORT=... for another port)
##   make test        the environment if it is missing, then what a contributor checks (four minutes)
##   make check       that, and full statistics, another processor, the browser (half an hour)
##   make browser     drive every page of the site in Chromium (needs node, npm, chromium)
##   make notebooks   execute the chapters again and write their outputs (ONLY="chapters/01*" for some)
##   make evidence    compute the evidence of the claims again (ONLY="id ..." for some)
##   make lab         open JupyterLab on the chapters, in notebooks/: yours to change, never written over
##   make assignment  what students get, in one zip: the exercises without solutions and a wheel of svtlib
##   make grade SUBMISSIONS=folder  grade what they hand in, each notebook by itself, and write the feedback
##   make student-site  the site without solutions, in _build/student/html
##   make slides      one lecture as slides with notes, from the figures of the chapters, in _build/slides.html
##   make pdf         the course as one PDF, in _build/svt.pdf (needs chromium)
##   make offline     the site as one zip that opens from a disk, in _build/svt-site.zip
##   make doctor      check the environment and say what to do where something is missing
##   make bench       measure the speed and write data/performance.csv, which the book shows
##   make reference  the tables that take too long for a chapter (an hour)
##   make catalogue  what follows from a new variant: certificates, explorers, evidence, chapters (four minutes)
##   make certificates  write the certificates of the verdict table again and check them without svtlib
##   make proofs      check the machine-checked proofs (needs coq; MUTATE=1 also that damaged ones are refused)
##   make lock        write requirements.txt again from pyproject.toml
##   make clean       remove everything that was built, the environment too
##
## PYTHON=/path/to/python3 chooses the Python that the environment is made from (3.11 or newer).

environment:
	@sh tools/environment.sh

book: environment
	@$(PY) tools/build_site.py

serve: environment
	@$(PY) tools/build_site.py || [ -f _build/html/index.html ]
	@echo "Serving _build/html on http://localhost:$(PORT)/ (Ctrl-C stops it)"
	@$(PY) -m http.server --bind 127.0.0.1 --directory _build/html $(PORT)

test: environment
	@$(PY) tools/check.py test $(ONLY)

# MORE=1 leaves out what `make test` has run already.
check: environment
	@$(PY) tools/check.py $(if $(MORE),more,check) $(ONLY)
	@$(if $(ONLY),,sh tests/browser/run.sh)

browser: book
	@sh tests/browser/run.sh

notebooks: environment
	@$(PY) tools/refresh_notebooks.py $(ONLY)

lab: environment
	@$(PY) tools/readers_edition.py --trust
	@echo "Opening JupyterLab on notebooks/ (Ctrl-C twice stops it)"
	@.venv/bin/jupyter lab --ServerApp.root_dir=. --LabApp.default_url=/lab/tree/notebooks $(if $(filter 0,$(shell id -u)),--allow-root)

assignment: environment
	@$(PY) tools/make_assignment.py $(ASSIGNMENT)

grade: environment
	@$(if $(SUBMISSIONS),$(PY) tools/grade.py "$(SUBMISSIONS)" $(ASSIGNMENT),echo "Say where: make grade SUBMISSIONS=folder, with a folder for each student in it"; exit 2)

student-site: environment
	@$(PY) tools/student_site.py

slides: environment
	@$(PY) tools/make_slides.py

pdf: book
	@$(PY) tools/make_pdf.py

offline: book
	@$(PY) tools/make_offline.py

doctor: environment
	@$(PY) -m svtlib doctor

bench: environment
	@echo "Measuring (a few minutes; close other programs for steady numbers)"
	@for script in benchmarks/bench_*.py; do echo "== $$script"; $(PY) $$script || exit 1; done
	@echo "Written: data/performance.csv"

reference: environment
	@echo "Computing 10,000 runs of every cell, then the explorer (an hour)"
	@$(PY) tools/compute_reference.py
	@$(PY) -m svtcourse.explorers top-c

evidence: environment
	@echo "Computing what the claims rest on (half a minute), written to data/evidence.json"
	@$(PY) -m evidence $(ONLY)

catalogue: certificates
	@$(PY) -m svtcourse.explorers --keep
	@$(MAKE) evidence notebooks

certificates: environment
	@echo "Writing the certificates of the verdict table (a few seconds), then checking them without svtlib"
	@$(PY) tools/make_certificates.py
	@$(PY) tools/check_certificates.py

# The checker needs Python and Coq alone.
proofs:
	@python3 tools/check_proofs.py $(if $(MUTATE),--mutate)

lock: environment
	@sh tools/lock.sh

clean:
	@echo "Removing .venv, _build and every cache"
	@rm -rf .venv _build .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage .coverage.* tests/browser/node_modules *.egg-info
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
