//! The kinds of the group batch.

pub(super) mod cron_job;
pub(super) mod job;
