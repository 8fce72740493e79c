//! The shared limiter goes away under a running server.

use crate::serve_world::{Receiver, Server, folder, within};
use crate::servers::own_redis;

// SERVE-1, SERVE-2, SERVE-4, T37: requests go on under a limit of this node, people are told, and the log says so.
#[test]
fn a_limiter_that_is_away_refuses_nobody_and_is_told() {
    let mut redis = own_redis();
    let hook = Receiver::start();
    let (hot, url) = (redis.url(), format!("http://{}/hook", hook.address));
    let variables =
        [("COUNTERSIGN_REDIS_URL", hot.as_str()), ("COUNTERSIGN_RATE_LIMIT", "20"), ("COUNTERSIGN_ALERT_WEBHOOK", &url)];
    let server = Server::start(&folder("limiter-away"), &["--log-format", "json"], &variables);
    let ask = || server.post("/v1/claims", "{\"text\": \"It grew by 25%.\"}").status;
    assert_eq!(ask(), 200);
    redis.kill();
    assert_eq!(ask(), 200, "nobody is refused because a store is away");
    within(10, "the alert", || hook.texts().iter().any(|text| text.contains("limiter_away")));
    let log = server.log();
    let line = log.lines().find(|line| line.contains("limiter_away")).unwrap_or_else(|| panic!("{log}"));
    assert!(line.contains("WARN") && line.contains("local limit"), "{line}");
    let statuses: Vec<u16> = (0..80).map(|_| ask()).collect();
    assert!(statuses.contains(&429), "the node keeps a limit of its own: {statuses:?}");
}
