//! TLS to real servers: PostgreSQL and Redis with certificates that were made for the test.

use crate::servers::{shared_postgres, tls_postgres, tls_redis, unique};
use crate::store_contract::words::{append, held, owner};
use countersign_runtime::store::postgres::PostgresStore;
use countersign_runtime::store::redis::RedisStore;
use countersign_runtime::store::{Appended, EventLog, StoreError};

fn cause(error: &StoreError) -> String {
    error.to_string()
}

// SERVE-5: every sslmode does what PostgreSQL's own clients do with it.
#[tokio::test(flavor = "multi_thread")]
async fn postgres_is_reached_over_tls_as_far_as_it_is_trusted() {
    let server = tls_postgres();
    let stranger = tls_redis();
    let url = server.url();
    let (ca, other) = (server.authority().display().to_string(), stranger.authority().display().to_string());
    let named = url.replace("127.0.0.1", "localhost");
    let encrypted = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl AND application_name = 'countersign'";
    for (url, query, tls) in [
        (&url, format!("sslmode=verify-full&sslrootcert={ca}"), true),
        (&named, format!("sslmode=verify-ca&sslrootcert={ca}"), true),
        (&named, format!("sslmode=require&sslrootcert={ca}"), true),
        (&named, "sslmode=require".to_owned(), true),
        (&url, "sslmode=prefer".to_owned(), true),
        (&url, "sslmode=disable".to_owned(), false),
    ] {
        let store = PostgresStore::connect(&format!("{url}?{query}")).await.unwrap_or_else(|e| panic!("{query}: {e}"));
        let run = unique("run");
        let lease = held(store.claim(&run, &owner("a")).await.unwrap());
        assert_eq!(store.append(append(&run, lease.epoch, 0, 3)).await.unwrap(), Appended::Done, "{query}");
        assert_eq!(server.psql(encrypted) != "0", tls, "{query}");
        store.close().await;
        drop(store);
        for _ in 0..100 {
            if server.psql(encrypted) == "0" {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    }
    for (url, query, why) in [
        (&named, format!("sslmode=verify-full&sslrootcert={ca}"), "not valid for name"),
        (&url, format!("sslmode=verify-ca&sslrootcert={other}"), "invalid peer certificate"),
        (&url, format!("sslmode=require&sslrootcert={other}"), "invalid peer certificate"),
        (&url, "sslmode=verify-full".to_owned(), "certificate"),
        (&url, "sslmode=verify-full&sslrootcert=/nowhere.pem".to_owned(), "cannot read /nowhere.pem"),
        (&url, "sslmode=sometimes".to_owned(), "sslmode must be"),
    ] {
        let refused =
            PostgresStore::connect(&format!("{url}?{query}")).await.err().unwrap_or_else(|| panic!("{query}"));
        assert!(cause(&refused).contains(why), "{query}: {refused}");
    }
    let plain = shared_postgres().url();
    let refused = PostgresStore::connect(&format!("{plain}?sslmode=require")).await.err().unwrap();
    assert!(cause(&refused).contains("does not support TLS"), "{refused}");
}

// SERVE-5: rediss:// is encrypted and checked, and never falls back to a plain connection.
#[tokio::test(flavor = "multi_thread")]
async fn redis_is_reached_over_tls_by_who_trusts_it() {
    let server = tls_redis();
    let (stranger, ca) = (tls_redis(), server.authority().display().to_string());
    let url = server.url();
    let store = RedisStore::connect(&format!("{url}?sslrootcert={ca}")).await.unwrap();
    let run = unique("run");
    let lease = held(store.claim(&run, &owner("a")).await.unwrap());
    assert_eq!(store.append(append(&run, lease.epoch, 0, 3)).await.unwrap(), Appended::Done);
    store.close().await;
    let other = stranger.authority().display().to_string();
    for wrong in [
        url.clone(),
        format!("{url}?sslrootcert={other}"),
        format!("{}?sslrootcert={ca}", url.replace("127.0.0.1", "localhost")),
        url.replace("rediss", "redis"),
    ] {
        assert!(RedisStore::connect(&wrong).await.is_err(), "{wrong}");
    }
    let missing = RedisStore::connect(&format!("{url}?sslrootcert=/nowhere.pem")).await.err().unwrap();
    assert!(cause(&missing).contains("cannot read /nowhere.pem"), "{missing}");
}
