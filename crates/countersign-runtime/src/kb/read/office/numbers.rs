//! What the number in a cell means: a date is a number of days, a share is a hundredth of what is shown.

use jiff::civil::{Date, Time, date};
use jiff::{Span, ToSpan};

/// How the number in a cell is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Form {
    /// As it is.
    #[default]
    Plain,
    /// As a date, a time, or both.
    Date,
    /// In hundredths.
    Percent,
}

/// From when days are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Epoch {
    #[default]
    Year1900,
    Year1904,
}

impl Form {
    /// The form of a number that is built in.
    pub(super) fn built_in(id: u32) -> Self {
        match id {
            9 | 10 => Self::Percent,
            14..=22 | 27..=36 | 45..=47 | 50..=58 => Self::Date,
            _ => Self::Plain,
        }
    }

    /// The form that a code such as `yyyy-mm-dd` writes.
    pub(super) fn of_code(code: &str) -> Self {
        let (mut quoted, mut bracket, mut percent, mut escaped) = (false, false, false, false);
        for c in code.chars() {
            match c {
                _ if escaped => escaped = false,
                '"' => quoted = !quoted,
                _ if quoted => {}
                '\\' | '_' | '*' => escaped = true,
                '[' => bracket = true,
                ']' => bracket = false,
                _ if bracket => {}
                '%' => percent = true,
                'y' | 'Y' | 'm' | 'M' | 'd' | 'D' | 'h' | 'H' | 's' | 'S' => return Self::Date,
                ';' => break,
                _ => {}
            }
        }
        if percent { Self::Percent } else { Self::Plain }
    }

    /// A number as a reader of the sheet sees it.
    pub(super) fn show(self, written: &str, epoch: Epoch) -> String {
        let Ok(number) = written.trim().parse::<f64>() else { return written.to_owned() };
        match self {
            Self::Date => show_date(number, epoch).unwrap_or_else(|| written.to_owned()),
            Self::Percent => format!("{}%", shortest(number * 100.0, written)),
            Self::Plain => shortest(number, written),
        }
    }
}

/// A number without what is only left over from its binary form.
fn shortest(number: f64, written: &str) -> String {
    let rounded = (number * 1e10).round() / 1e10;
    let ordinary = number == 0.0 || (1e-6..1e15).contains(&number.abs());
    if ordinary && rounded.is_finite() { rounded.to_string() } else { written.to_owned() }
}

/// A number of days as a date, with its time where it has one; less than a day is a time.
fn show_date(days: f64, epoch: Epoch) -> Option<String> {
    if !(0.0..LAST_DAY).contains(&days) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "it is bounded right here")]
    let seconds = (days.fract() * 86_400.0).round() as i64;
    #[expect(clippy::cast_possible_truncation, reason = "it is bounded right above")]
    let whole = days.trunc() as i64 + seconds / 86_400;
    let seconds = seconds % 86_400;
    let time = Time::midnight().checked_add(Span::new().seconds(seconds)).ok()?;
    if whole == 0 && epoch == Epoch::Year1900 {
        return Some(time.to_string());
    }
    let day = day(whole, epoch)?;
    Some(if seconds == 0 { day.to_string() } else { format!("{day} {time}") })
}

/// Day 60 of 1900 is a 29th of February that never was: the days before it are counted from one later.
fn day(days: i64, epoch: Epoch) -> Option<Date> {
    let first = match epoch {
        Epoch::Year1904 => date(1904, 1, 1),
        Epoch::Year1900 if days < 60 => date(1899, 12, 31),
        Epoch::Year1900 => date(1899, 12, 30),
    };
    first.checked_add(days.days()).ok()
}

/// The last day of the year 9999.
const LAST_DAY: f64 = 2_958_466.0;

#[cfg(test)]
mod tests {
    use super::*;

    // STREAM-8
    #[test]
    fn dates_are_dates_and_numbers_are_short() {
        let date = |written: &str| Form::Date.show(written, Epoch::Year1900);
        assert_eq!(date("45352"), "2024-03-01");
        assert_eq!(date("45352.604166666664"), "2024-03-01 14:30:00");
        assert_eq!(
            (date("1"), date("59"), date("61")),
            ("1900-01-01".into(), "1900-02-28".into(), "1900-03-01".into())
        );
        assert_eq!(date("0.5"), "12:00:00");
        assert_eq!((date("-3"), date("1e300"), date("NaN")), ("-3".into(), "1e300".into(), "NaN".into()));
        assert_eq!(date("45352.999999999"), "2024-03-02");
        assert_eq!(Form::Date.show("43890", Epoch::Year1904), "2024-03-01");
        assert_eq!(Form::Plain.show("0.10000000000000001", Epoch::Year1900), "0.1");
        assert_eq!(Form::Plain.show("3", Epoch::Year1900), "3");
        assert_eq!(Form::Plain.show("1.5e300", Epoch::Year1900), "1.5e300");
        assert_eq!(Form::Percent.show("0.255", Epoch::Year1900), "25.5%");
    }

    // STREAM-8
    #[test]
    fn a_code_says_what_a_number_is() {
        for (code, form) in [
            ("yyyy-mm-dd", Form::Date),
            ("[$-409]d/m/yy h:mm AM/PM;@", Form::Date),
            ("0.00%", Form::Percent),
            ("#,##0.00", Form::Plain),
            ("\"days\" 0", Form::Plain),
            ("[Red]0.00", Form::Plain),
            ("0\\m", Form::Plain),
            ("yyyy\"年\"m\"月\"d\"日\"", Form::Date),
            ("General", Form::Plain),
        ] {
            assert_eq!(Form::of_code(code), form, "{code}");
        }
    }
}
