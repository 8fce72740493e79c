//! What every store must do, whatever it keeps things in: one suite a trait, and one line a form of it.
//!
//! Each case is a plain function over the trait; each test gets a store of its own from the form's maker. A form is added
//! by a maker (`async fn() -> Fresh<dyn Trait>`) and the lines `log_suite!(name, maker);`, `records_suite!` and so on for
//! what it has. A case that is in no list is dead code, which the build refuses.

pub(crate) mod words;
mod log_writing;
mod log_reading;
mod log_keeping;
mod records_changing;
mod records_listing;
mod flags;
mod limiter;

use crate::servers::{shared_postgres, shared_redis, unique};
use countersign_runtime::store::layered::{HotTail, Spooled};
use countersign_runtime::store::memory::{MemoryFlags, MemoryLimiter, MemoryLog, MemoryRecords};
use countersign_runtime::store::postgres::PostgresStore;
use countersign_runtime::store::redis::RedisStore;
use countersign_runtime::store::sqlite::SqliteStore;
use countersign_runtime::store::{EventLog, Flags, Limiter, Records};
use std::any::Any;
use std::sync::Arc;

/// An empty store, and what must live as long as it does (a folder, a server).
pub(crate) struct Fresh<S: ?Sized> {
    pub(crate) store: Arc<S>,
    _world: Box<dyn Any + Send + Sync>,
}

impl<S: ?Sized> Fresh<S> {
    pub(crate) fn new(store: Arc<S>, world: impl Any + Send + Sync) -> Self {
        Self { store, _world: Box::new(world) }
    }
}

/// One test a case, in a module with the form's name.
macro_rules! suite {
    ($form:ident, $make:expr, $($part:ident: $($case:ident)*;)*) => {
        mod $form {
            $($(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $case() {
                    let fresh = $make().await;
                    crate::store_contract::$part::$case(std::sync::Arc::clone(&fresh.store)).await;
                }
            )*)*
        }
    };
}

/// SERVE-5, STREAM-1 … STREAM-3: the cases of an event log.
macro_rules! log_suite {
    ($form:ident, $make:expr) => {
        suite! { $form, $make,
            log_writing:
                a_first_claim_makes_the_run
                a_claim_of_ones_own_keeps_the_epoch
                a_claim_of_an_idle_run_of_another_fences_it
                a_claim_of_anothers_open_turn_is_taken
                a_seizure_needs_the_epoch_that_was_seen
                a_seized_turn_stays_open
                a_run_that_nobody_claimed_cannot_be_written
                events_are_written_and_read_back_byte_for_byte
                what_is_there_already_is_a_duplicate
                a_duplicate_differs_in_nothing
                an_append_elsewhere_than_at_the_end_is_a_gap
                a_refused_append_leaves_nothing
                the_questions_come_in_their_order
                a_second_turn_is_busy
                a_turn_opens_and_closes_without_events
                events_that_are_not_dense_are_refused
                of_sixteen_writers_one_wins_each_number
                of_sixteen_claimers_one_opens_the_turn
                sixteen_runs_are_written_at_once;
            log_reading:
                an_unknown_run_is_empty
                pages_join_without_gap_or_overlap
                a_cursor_past_the_head_gives_nothing
                a_page_is_bounded_in_bytes_but_never_empty
                heads_come_in_the_order_asked
                open_runs_name_their_writers
                beats_rise_and_are_those_of_open_runs
                runs_are_listed_by_name_in_pages
                strange_names_are_names
                a_large_body_comes_back
                a_probe_passes;
            log_keeping:
                a_trim_by_age_keeps_what_is_younger
                a_trim_by_age_ends_at_the_first_that_is_kept
                a_trim_by_size_keeps_the_newest_that_fit
                a_trim_of_both_takes_the_stricter
                a_trim_without_limits_keeps_all
                the_head_survives_a_trim_of_everything
                a_trimmed_event_is_no_duplicate
                a_trimmed_run_goes_on
                a_removed_run_is_unknown
                a_removal_touches_no_other_run;
        }
    };
}

/// SERVE-5, REVIEW-1: the cases of records.
macro_rules! records_suite {
    ($form:ident, $make:expr) => {
        suite! { $form, $make,
            records_changing:
                a_record_comes_back_as_it_was_put
                bodies_are_any_json
                bodies_nested_without_end_are_readable
                what_is_ensured_is_never_a_conflict
                records_are_measured
                a_second_insert_is_a_conflict
                a_replacement_needs_the_version_that_was_read
                a_replacement_keeps_parent_time_and_bytes
                a_deletion_is_never_a_conflict
                changes_are_made_together_or_not_at_all
                later_changes_see_earlier_ones
                kinds_do_not_meet
                bytes_come_back_and_go_with_their_record
                ten_mebibytes_are_kept
                strange_names_are_names
                of_sixteen_who_decide_one_wins
                children_are_removed_by_kind;
            records_listing:
                a_list_is_in_order_of_time_then_id
                the_newest_come_first_where_asked
                pages_join_without_gap_or_overlap
                a_list_is_of_one_parent_state_and_time
                a_list_without_limit_is_a_thousand
                records_are_counted_by_state
                places_are_those_of_the_list
                a_fingerprint_tells_what_was_made_and_removed;
        }
    };
}

/// SERVE-5, STREAM-4: the cases of stop flags.
macro_rules! flags_suite {
    ($form:ident, $make:expr) => {
        suite! { $form, $make,
            flags:
                a_raised_flag_is_kept
                a_merge_of_nothing_reads
                flags_come_in_the_order_of_their_scopes
                a_merge_takes_the_greater_of_each
                a_merge_twice_is_a_merge_once
                the_order_of_merges_does_not_matter
                a_merge_of_views_is_a_merge_of_their_flags
                a_clear_that_has_not_seen_the_newest_raise_does_not_undo_it
                strange_names_are_names
                raises_at_once_lose_none;
        }
    };
}

/// SERVE-1, SERVE-5: the cases of a limiter.
macro_rules! limiter_suite {
    ($form:ident, $make:expr) => {
        suite! { $form, $make,
            limiter:
                a_burst_is_allowed_and_no_more
                a_wait_of_retry_after_is_enough
                nobody_is_allowed_before_retry_after
                a_refusal_costs_nothing
                keys_do_not_meet
                takes_at_once_share_one_burst
                the_long_run_keeps_the_rate;
        }
    };
}

pub(crate) async fn memory_log() -> Fresh<dyn EventLog> {
    Fresh::new(Arc::new(MemoryLog::default()), ())
}

async fn memory_records() -> Fresh<dyn Records> {
    Fresh::new(Arc::new(MemoryRecords::default()), ())
}

async fn memory_flags() -> Fresh<dyn Flags> {
    Fresh::new(Arc::new(MemoryFlags::default()), ())
}

async fn memory_limiter() -> Fresh<dyn Limiter> {
    Fresh::new(Arc::new(MemoryLimiter::default()), ())
}

fn sqlite() -> (Arc<SqliteStore>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (SqliteStore::open(folder.path()).unwrap(), folder)
}

async fn sqlite_log() -> Fresh<dyn EventLog> {
    let (store, folder) = sqlite();
    Fresh::new(store, folder)
}

async fn sqlite_records() -> Fresh<dyn Records> {
    let (store, folder) = sqlite();
    Fresh::new(store, folder)
}

async fn sqlite_flags() -> Fresh<dyn Flags> {
    let (store, folder) = sqlite();
    Fresh::new(store, folder)
}

log_suite!(memory_log_is_a_log, crate::store_contract::memory_log);
records_suite!(memory_records_are_records, crate::store_contract::memory_records);
flags_suite!(memory_flags_are_flags, crate::store_contract::memory_flags);
limiter_suite!(memory_limiter_is_a_limiter, crate::store_contract::memory_limiter);

log_suite!(sqlite_is_a_log, crate::store_contract::sqlite_log);
records_suite!(sqlite_has_records, crate::store_contract::sqlite_records);
flags_suite!(sqlite_has_flags, crate::store_contract::sqlite_flags);

pub(crate) async fn postgres() -> Arc<PostgresStore> {
    PostgresStore::connect(&shared_postgres().url()).await.unwrap()
}

async fn postgres_log() -> Fresh<dyn EventLog> {
    Fresh::new(postgres().await, ())
}

async fn postgres_records() -> Fresh<dyn Records> {
    Fresh::new(postgres().await, ())
}

async fn postgres_flags() -> Fresh<dyn Flags> {
    Fresh::new(postgres().await, ())
}

async fn postgres_limiter() -> Fresh<dyn Limiter> {
    Fresh::new(postgres().await, ())
}

log_suite!(postgres_log_is_a_log, crate::store_contract::postgres_log);
records_suite!(postgres_records_are_records, crate::store_contract::postgres_records);
flags_suite!(postgres_flags_are_flags, crate::store_contract::postgres_flags);
limiter_suite!(postgres_limiter_is_a_limiter, crate::store_contract::postgres_limiter);

pub(crate) fn redis() -> Arc<RedisStore> {
    RedisStore::open(&shared_redis().url(), &format!("{}:", unique("test"))).unwrap()
}

async fn redis_log() -> Fresh<dyn EventLog> {
    Fresh::new(redis(), ())
}

async fn redis_flags() -> Fresh<dyn Flags> {
    Fresh::new(redis(), ())
}

async fn redis_limiter() -> Fresh<dyn Limiter> {
    Fresh::new(redis(), ())
}

log_suite!(redis_log_is_a_log, crate::store_contract::redis_log);
flags_suite!(redis_flags_are_flags, crate::store_contract::redis_flags);
limiter_suite!(redis_limiter_is_a_limiter, crate::store_contract::redis_limiter);

async fn hot_tail() -> Fresh<dyn EventLog> {
    Fresh::new(Arc::new(HotTail::new(redis(), Arc::new(MemoryLog::default())).keeping(3)), ())
}

async fn spooled() -> Fresh<dyn EventLog> {
    let (shared, spool) = (Arc::new(MemoryLog::default()), Arc::new(MemoryLog::default()));
    Fresh::new(Spooled::start(shared, spool, Arc::new(MemoryRecords::default())).await.unwrap(), ())
}

log_suite!(a_hot_tail_is_a_log, crate::store_contract::hot_tail);
log_suite!(a_spooled_log_is_a_log, crate::store_contract::spooled);
