# The commands people type. `just` alone lists them.

export SQLX_OFFLINE := "true"

_list:
    @just --list --unsorted

# One turn in the current directory, on the built-in rehearsal model.
run prompt="what is in this repository?":
    cargo run --release -- exec {{ quote(prompt) }}

# The tests, or those whose name contains FILTER.
test *filter:
    cargo test --locked {{ filter }}

# Honest histories at random, as many as asked for: none may be accused. Prints what was written.
honest histories="10000":
    THREADKEEP_HISTORIES={{ histories }} cargo test --locked --test it an_honest_history -- --nocapture

# Format and lints, as CI holds them.
lint:
    cargo fmt --check
    cargo clippy --locked --all-targets -- -D warnings

# After a change of queries/ or migrations/: checks every statement, renews .sqlx.
queries:
    .ci/prepare-queries

# Licences, duplicates, sources and advisories of the dependencies.
deny:
    .ci/deny

# A benchmark: append, host or verify.
bench name *arguments:
    cargo bench --locked --bench {{ name }} -- {{ arguments }}

# Everything CI runs.
ci:
    .ci/run
