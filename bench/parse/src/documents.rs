//! Documents as models write them: records with strings, numbers, nesting, escapes and Chinese. Generated from a fixed
//! seed, so that every run reads the same bytes.

use serde_json::{Value, json};

/// A list of records whose compact text has about `bytes` bytes.
pub fn records(bytes: usize) -> Value {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut items = Vec::new();
    let mut size = 0;
    while size < bytes {
        let item = record(items.len(), &mut dice);
        size += item.to_string().len() + 1;
        items.push(item);
    }
    json!({"query": "late orders, north", "total": items.len(), "items": items})
}

fn record(number: usize, dice: &mut Dice) -> Value {
    json!({
        "id": 10_000 + number,
        "name": format!("{} {}", dice.one(&NAMES), dice.below(900)),
        "price": dice.below(100_000) as f64 / 100.0,
        "active": dice.below(2) == 0,
        "tags": (0..dice.below(4)).map(|_| dice.one(&TAGS)).collect::<Vec<_>>(),
        "place": {"city": dice.one(&CITIES), "position": [dice.below(18_000) as f64 / 100.0 - 90.0, dice.below(360)], "note": null},
        "text": format!("{} {}", dice.one(&SENTENCES), dice.one(&SENTENCES)),
    })
}

/// About `bytes` bytes of `sentences`, in paragraphs.
pub fn prose(sentences: &[&str], bytes: usize) -> String {
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    let mut text = String::new();
    while text.len() < bytes {
        text.push_str(dice.one(sentences));
        text.push_str(if dice.below(5) == 0 { "\n\n" } else { " " });
    }
    text
}

/// The longest beginning of `text` of at most `bytes` bytes.
pub fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// Numbers that look random and are always the same (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn one<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

const NAMES: [&str; 5] = ["Desk lamp", "Coffee grinder", "北欧风台灯", "Trail shoes", "手冲咖啡壶"];
const TAGS: [&str; 5] = ["new", "on sale", "限量", "back order", "fragile"];
const CITIES: [&str; 5] = ["Rotterdam", "上海", "São Paulo", "Nairobi", "Kraków"];
const SENTENCES: [&str; 6] = [
    "The parcel left the depot on Tuesday and is expected before noon.",
    "The customer wrote \"please ring twice\", then hung up.",
    "客户要求周五之前送到，并附上发票。",
    "First line\nsecond line with a path C:\\orders\\late.",
    "Weight 2.4 kg, three items, one of them fragile; handle with care.",
    "包装完好，数量无误，已由前台签收。",
];

/// English prose without anything that looks like a call.
pub const ENGLISH: [&str; 5] = [
    "The short answer is that the second plan costs less over three years, even though its first bill is higher.",
    "I looked at the four quotes you sent and put the totals side by side.",
    "Note that prices (in euros) are rounded; the exact figures differ by less than 1%.",
    "If you prefer a fixed rate, ask for it in writing: it's only offered until the end of the month.",
    "That's all I found so far, so let me know which of the two you'd like to follow up.",
];
/// Chinese prose.
pub const CHINESE: [&str; 4] = [
    "简单来说，第二个方案三年总成本更低，虽然首期费用略高。",
    "我已经把您发来的四份报价放在一起比较，结果如下。",
    "请注意，价格（欧元）已四舍五入，与实际金额相差不到1%。",
    "如果您更喜欢固定利率，请在月底之前以书面形式提出。",
];
/// Prose with the marks that a parser must look at twice: code, lists, brackets, comparisons.
pub const MARKED: [&str; 6] = [
    "Use `Vec<String>` where the list grows, and `[T; 4]` where it does not.",
    "```rust\nfn area(sides: &[f64]) -> f64 {\n    sides.iter().product()\n}\n```\n",
    "- [ ] measure first\n- [x] then change one thing\n",
    "When x < y && y > z the branch is never taken, see [the notes](https://example.org/notes?a=1).",
    "A map such as {\"a\": 1} is copied, a list is not.",
    "The tag <b>bold</b> is HTML, not a call.",
];
