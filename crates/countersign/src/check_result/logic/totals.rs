//! Totals add up: items, shipping, tax, tip and discount make the total of an order.
//!
//! Prices may hold the tax already, and a discount may be an amount or a percentage: a total is wrong only where no
//! such reading gives it.

use crate::check_result::fields::{Object, Parts, number};
use crate::check_result::subject::Subject;
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::localized;
use serde_json::Value;

/// Totals of orders, bills and lines.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    let mut found = Vec::new();
    for object in &subject.parts.objects {
        found.extend(line(subject, object));
        // A bill stands near the top; this keeps the search for its items linear.
        if object.depth <= 4 && found.len() < MAX_FINDINGS {
            found.extend(bill(subject, object));
        }
        found.extend(check_conversion(subject, object));
        found.extend(average(subject, object));
        found.extend(check_tax(subject, object));
        found.extend(check_reduction(subject, object));
        found.extend(check_change(subject, object));
    }
    found
}

/// Quantity times unit price is the line's total.
fn line(subject: &Subject, object: &Object) -> Option<Finding> {
    let quantity = object.number(QUANTITY)?;
    let price = object.number(UNIT_PRICE)?;
    let total = object.find(LINE_TOTAL)?;
    let seen = total.number()?;
    let modified =
        object.entries.iter().any(|entry| entry.has_any(CHANGES) && entry.number().is_some_and(|n| n != 0.0));
    (!modified && !near(seen, quantity * price, 0.02)).then(|| wrong(subject, object.at(total), seen, quantity * price))
}

/// The items and what is added and taken away make the total.
fn bill(subject: &Subject, object: &Object) -> Option<Finding> {
    let (items, lines) = items_sum(&subject.parts, object);
    let taxed = object.find(TAX).is_some();
    let subtotal =
        object.find(SUBTOTAL).or_else(|| object.find(&["amount", "net_amount", "base_amount"]).filter(|_| taxed));
    let own = subtotal.and_then(|entry| entry.number());
    #[expect(clippy::cast_precision_loss, reason = "a list's length is small")]
    let slack = 0.02 + 0.006 * lines as f64;
    if let (Some(entry), Some(items), Some(seen)) = (subtotal, items, own) {
        let discount = amount(object, DISCOUNT).abs();
        if !near(seen, items, slack) && !near(seen, items - discount, slack) {
            return Some(wrong(subject, object.at(entry), seen, items));
        }
    }
    let base = own.or(items)?;
    // Of a page of a longer list `total` tells how long it is.
    let total = object.find(TOTAL).filter(|_| !is_page(object))?;
    // A refund has the order's total with the other sign, and some lists count their items in `total`.
    #[expect(clippy::cast_precision_loss, reason = "a list's length is small")]
    let seen = total.number().filter(|seen| *seen != lines as f64)?.abs();
    let readings = readings(object, base);
    let expected = *readings.first()?;
    if readings.iter().any(|reading| near(seen, *reading, slack)) || explains_gap(object, seen - expected, slack) {
        return None;
    }
    Some(wrong(subject, object.at(total), seen, expected))
}

/// Whether an object says that its list goes on elsewhere.
fn is_page(object: &Object) -> bool {
    let more = object
        .find(&["has_more", "hasmore", "has_next", "more"])
        .is_some_and(|entry| entry.value == &Value::Bool(true));
    more || object
        .find(&["next_cursor", "next_page_token", "next_page", "page_size", "offset"])
        .is_some_and(|entry| !entry.value.is_null())
}

/// Every total that the parts may make.
fn readings(object: &Object, base: f64) -> Vec<f64> {
    let (shipping, tax) = (amount(object, SHIPPING), amount(object, TAX));
    let added = shipping + amount(object, TIP) + amount(object, FEE);
    let discount = amount(object, DISCOUNT).abs();
    let rate = amount(object, &["discount_percent", "discount_pct", "discount_rate", "discount_percentage"]).abs();
    let share = |percent: f64| base * if percent <= 1.0 { percent } else { percent / 100.0 };
    let mut found = Vec::new();
    for off in [discount + share(rate), discount, share(discount), share(rate)] {
        for tax in [tax, 0.0, tax * base / 100.0, tax * (base - off) / 100.0, tax * base] {
            found.push(base + added + tax - off);
        }
    }
    found
}

/// Whether some numbers, each added, taken away or left out, make up a gap. With too many of them nothing can be said.
pub(crate) fn makes_up(gap: f64, others: &[f64], slack: f64) -> bool {
    if others.len() > MAX_OTHERS {
        return true;
    }
    let mut sums = vec![0.0];
    for other in others {
        sums = sums.iter().flat_map(|sum| [*sum, sum + other, sum - other]).collect();
    }
    sums.iter().any(|sum| near(*sum, gap, slack))
}

/// Whether one other number of the object is exactly what is missing: an adjustment whose name we do not know.
fn explains_gap(object: &Object, gap: f64, slack: f64) -> bool {
    let known = [TOTAL, SUBTOTAL, SHIPPING, TAX, TIP, FEE, DISCOUNT].concat();
    let other = object.entries.iter().filter(|entry| !known.iter().any(|name| entry.is(name)));
    other.filter_map(|entry| entry.number()).any(|number| number != 0.0 && near(number.abs(), gap.abs(), slack))
}

/// The sum of the items that are in the object's list of them, and how many there are.
fn items_sum(parts: &Parts, object: &Object) -> (Option<f64>, usize) {
    let Some(list) = object.find(ITEMS).filter(|entry| entry.value.is_array()) else { return (None, 0) };
    let prefix = format!("{}/", object.at(list));
    let own =
        |item: &&Object| item.pointer.strip_prefix(&prefix).is_some_and(|rest| !rest.is_empty() && !rest.contains('/'));
    let items: Vec<&Object> = parts.objects.iter().filter(own).collect();
    let one = |item: &&Object| {
        let quantity = item.number(QUANTITY).unwrap_or(1.0);
        let by_price = item.number(UNIT_PRICE).map(|price| price * quantity);
        item.number(LINE_TOTAL).or(by_price)
    };
    // A shelf is no basket: without quantities its prices make no total.
    let is_basket = !list.has_any(&["products", "entries"]) || items.iter().all(|item| item.number(QUANTITY).is_some());
    let sum: Option<f64> = items.iter().map(one).sum::<Option<f64>>().filter(|_| is_basket);
    (sum.filter(|_| !items.is_empty()), items.len())
}

/// An amount times its rate is the result.
fn check_conversion(subject: &Subject, object: &Object) -> Option<Finding> {
    let rate = object.number(&["rate", "exchange_rate", "conversion_rate", "fx_rate"]).filter(|rate| *rate > 0.0)?;
    let amount = object.number(&["amount", "from_amount", "source_amount", "original_amount", "value"])?;
    let result = object.find(&[
        "result",
        "converted",
        "converted_amount",
        "to_amount",
        "target_amount",
        "converted_value",
        "output",
    ])?;
    let seen = result.number()?;
    let close = |expected: f64| near(seen, expected, 0.02 + expected.abs() * 0.01);
    let fee = object.entries.iter().any(|entry| entry.has_any(&["fee", "fees", "commission", "spread", "margin"]));
    (!fee && !close(amount * rate) && !close(amount / rate))
        .then(|| wrong(subject, object.at(result), seen, amount * rate))
}

/// A base times the tax rate is the tax, on top of the base or inside it.
fn check_tax(subject: &Subject, object: &Object) -> Option<Finding> {
    let rate =
        object.number(&["rate_percent", "tax_rate", "tax_rate_percent", "vat_rate", "tax_percent", "vat_percent"])?;
    let rate = if rate < 1.0 { rate } else { rate / 100.0 };
    let base = object.number(&["subtotal", "amount", "net", "net_amount", "base_amount", "price", "taxable_amount"])?;
    let tax = object.find(TAX)?;
    let seen = tax.number()?;
    let close = |expected: f64| near(seen, expected, 0.02 + expected.abs() * 0.01);
    (!close(base * rate) && !close(base * rate / (1.0 + rate)))
        .then(|| wrong(subject, object.at(tax), seen, base * rate))
}

/// A list price less its discount is the price.
fn check_reduction(subject: &Subject, object: &Object) -> Option<Finding> {
    let list = object.number(&["original_price", "list_price", "regular_price", "old_price"])?;
    let percent = object.number(&["discount_percent", "discount_pct", "discount_percentage"])?.abs();
    let price = object.find(&["sale_price", "final_price", "discounted_price", "current_price", "price"])?;
    let (seen, expected) = (price.number()?, list * (1.0 - percent / 100.0));
    (!near(seen, expected, 0.5 + expected.abs() * 0.015)).then(|| wrong(subject, object.at(price), seen, expected))
}

/// The change in percent is that of the two values.
fn check_change(subject: &Subject, object: &Object) -> Option<Finding> {
    let before =
        object.number(&["previous_close", "previous", "previous_price", "old_value", "previous_value", "last_year"])?;
    let after =
        object.number(&["price", "current", "current_price", "new_value", "current_value", "value", "this_year"])?;
    let change = object.find(&["change_percent", "percent_change", "change_pct", "growth_percent"])?;
    let (seen, expected) = (change.number()?, (after - before) / before.abs() * 100.0);
    (before != 0.0 && !near(seen, expected, 0.6 + expected.abs() * 0.03))
        .then(|| wrong(subject, object.at(change), seen, expected))
}

/// A sum over a count is the average.
fn average(subject: &Subject, object: &Object) -> Option<Finding> {
    let (sum, count) = (object.number(&["sum", "total"])?, object.number(&["count", "n"])?);
    let average = object.find(&["average", "mean", "avg"])?;
    let (seen, expected) = (average.number()?, sum / count);
    (count > 0.0 && !near(seen, expected, 0.02 + expected.abs() * 0.01))
        .then(|| wrong(subject, object.at(average), seen, expected))
}

fn wrong(subject: &Subject, pointer: String, seen: f64, expected: f64) -> Finding {
    let (seen, expected) = (plain(seen), plain(expected));
    let evidence = localized!(
        subject.language,
        "the parts make {expected}, the result says {seen}",
        "各项合计为 {expected}，结果却写 {seen}"
    );
    Finding::new(&codes::TOTAL, pointer, evidence)
}

/// The amount of the first entry of some names, nothing where there is none.
fn amount(object: &Object, names: &[&str]) -> f64 {
    names.iter().find_map(|name| worth(object.find(&[name])?.value)).unwrap_or(0.0)
}

/// The amount in a value: a number, a record with an amount, or a list of such records.
pub(crate) fn worth(value: &Value) -> Option<f64> {
    match value {
        Value::Object(map) => ["amount", "value", "total", "金额"].iter().find_map(|key| number(map.get(*key)?)),
        Value::Array(items) => items.iter().map(worth).sum(),
        value => number(value),
    }
}

/// Whether two numbers are the same within a tolerance.
pub(crate) fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance
}

/// A number without the noise of binary fractions.
pub(crate) fn plain(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

const MAX_FINDINGS: usize = 20;
/// Each number more makes three times the sums.
const MAX_OTHERS: usize = 6;
/// What the lines of a bill stand under.
pub(crate) const ITEMS: &[&str] =
    &["items", "lines", "line_items", "products", "order_items", "cart", "entries", "cart_items", "明细", "商品"];
const QUANTITY: &[&str] = &["quantity", "qty", "count", "units", "数量", "件数"];
const UNIT_PRICE: &[&str] = &["unit_price", "price", "unit_cost", "price_each", "单价"];
const LINE_TOTAL: &[&str] =
    &["line_total", "total", "subtotal", "amount", "total_price", "line_amount", "金额", "小计"];
const SUBTOTAL: &[&str] = &["subtotal", "sub_total", "items_total", "net", "net_total", "商品金额"];
const TOTAL: &[&str] = &[
    "total",
    "grand_total",
    "total_price",
    "total_amount",
    "order_total",
    "amount_due",
    "total_cost",
    "total_due",
    "合计",
    "总额",
    "应付",
];
const SHIPPING: &[&str] =
    &["shipping", "shipping_fee", "shipping_cost", "delivery_fee", "delivery", "freight", "postage", "运费", "配送费"];
const TAX: &[&str] = &["tax", "vat", "gst", "sales_tax", "tax_amount", "taxes", "税额", "税费"];
const TIP: &[&str] = &["tip", "gratuity"];
const FEE: &[&str] = &[
    "fee",
    "fees",
    "service_fee",
    "service_charge",
    "handling",
    "handling_fee",
    "surcharge",
    "服务费",
    "手续费",
    "包装费",
];
const DISCOUNT: &[&str] = &[
    "discount",
    "discounts",
    "coupon",
    "discount_amount",
    "promo",
    "promotion",
    "savings",
    "rebate",
    "优惠",
    "优惠金额",
    "折扣",
    "减免",
];
const CHANGES: &[&str] = &["discount", "tax", "vat", "fee", "coupon", "shipping", "tip", "rebate", "promo"];
