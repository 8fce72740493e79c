//! Time zones by the places that keep them: Oslo is in `Europe/Oslo`, Beijing in `Asia/Shanghai`.

use countersign::check_result::consistency::places::{fold, group};

/// The IANA name of the zone of a place, or of a zone that is named itself.
pub(super) fn zone_of(place: &str) -> Option<&'static str> {
    let place = fold(place);
    if place.is_empty() {
        return None;
    }
    let known = group(&place);
    let is_place = |name: &str| {
        let name = fold(name);
        name == place || (known.is_some() && group(&name) == known)
    };
    let keeps = |line: &&'static str| {
        let mut names = line.split('|');
        let zone = names.next().unwrap_or_default();
        let city = zone.rsplit('/').next().unwrap_or_default();
        fold(zone) == place || is_place(city) || names.any(is_place)
    };
    lines().find(keeps).map(|line| line.split('|').next().unwrap_or_default())
}

fn lines() -> impl Iterator<Item = &'static str> {
    include_str!("zones.txt").lines().filter(|line| !line.starts_with('#') && !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-7
    #[test]
    fn places_lead_to_zones() {
        for (place, zone) in [
            ("Oslo", "Europe/Oslo"),
            ("new york", "America/New_York"),
            ("Asia/Tokyo", "Asia/Tokyo"),
            ("北京", "Asia/Shanghai"),
            ("Beijing", "Asia/Shanghai"),
            ("São Paulo", "America/Sao_Paulo"),
            ("伦敦", "Europe/London"),
            ("utc", "UTC"),
        ] {
            assert_eq!(zone_of(place), Some(zone), "{place}");
        }
        assert_eq!(zone_of("Atlantis"), None);
        assert_eq!(zone_of(""), None);
    }
}
