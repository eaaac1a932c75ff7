//! Everything that is tested from outside the crate, as one binary so that it links once.
