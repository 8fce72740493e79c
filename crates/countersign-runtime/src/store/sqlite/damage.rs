//! Damage to the files of the store: looked for at every start, before SQLite touches them.
//!
//! SQLite reads its write-ahead log up to the first frame whose checksum is wrong and takes that for the end, so one flipped
//! byte makes everything after it vanish without a word; and it takes an empty file for a new database. Here every frame is
//! read to the end of the file, the main file is compared with what its own header says, and a folder that held a store
//! remembers it. What is damaged is copied under a dated name before anything is changed, and never deleted.

use super::folder::Past;
use super::{fault, schema};
use crate::store::StoreError;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What a start found, in words for people.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// What is wrong, one sentence each.
    pub(super) sentences: Vec<String>,
    /// Whether the files have been set aside.
    set_aside: bool,
}

/// Looks at the files before SQLite opens them. An error means that opening them would destroy data.
pub(super) fn look(file: &Path, past: Past) -> Result<Found, StoreError> {
    let log = log_of(file);
    let (length, log_length) = (length(file), length(&log));
    let mut found = Found::default();
    if length.unwrap_or(0) == 0 {
        refuse_emptiness(file, length, log_length, past)?;
        if length.is_none() && past == Past::HeldData {
            found.say(format!("{} is missing, though this folder held data before: started empty", file.display()));
        }
        return Ok(found);
    }
    let header = Header::read(file)?;
    let (has, should) = (length.unwrap_or(0), header.pages.saturating_mul(header.page_size));
    // While the log holds pages, the file may end early, even inside of a page: a full disk stops the copying anywhere.
    let cut = has % header.page_size.max(1) != 0 || should > has;
    if cut && log_length.unwrap_or(0) == 0 {
        found.say(format!("{} has {has} bytes where its header says {should}: it was cut short", file.display()));
    }
    let state =
        if log_length.unwrap_or(0) > 0 { Log::read(&log).map_err(|error| cannot(&log, &error))? } else { Log::Whole };
    found.sentences.extend(state.sentence(&log));
    if !found.sentences.is_empty() {
        let kept = found.set_aside(file);
        // A last transaction that was never answered is no loss, and no reason not to start on a full disk.
        match kept {
            Err(error) if state == Log::LastLost && found.sentences.len() == 1 => found.say(error.to_string()),
            kept => kept?,
        }
    }
    Ok(found)
}

impl Found {
    fn say(&mut self, sentence: String) {
        self.sentences.push(sentence);
    }

    /// Checks the structure of the open file, as far as the time allows.
    pub(super) fn check(&mut self, file: &Path) -> Result<(), StoreError> {
        let patience = if self.sentences.is_empty() { QUICK } else { THOROUGH };
        let mut connection = schema::reader(file)?;
        let end = Instant::now() + patience;
        connection.progress_handler(STEPS, Some(move || Instant::now() > end))?;
        let checked = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
        let wrong = match checked {
            Ok(word) if word == "ok" => return Ok(()),
            Ok(wrong) => wrong,
            Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::OperationInterrupted) => {
                tracing::debug!(?patience, "the file is too large to be checked whole at the start");
                return Ok(());
            }
            Err(error) => error.to_string(),
        };
        self.say(format!("{} is damaged: {}", file.display(), wrong.replace('\n', " ")));
        if !self.set_aside && !has_copy(file) {
            self.set_aside(file)?;
        }
        Ok(())
    }

    /// Copies the files under a dated name. Where that is not possible, nothing may be changed.
    fn set_aside(&mut self, file: &Path) -> Result<(), StoreError> {
        let stamp = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
        let mut names = Vec::new();
        for source in [file.to_owned(), log_of(file)] {
            if length(&source).unwrap_or(0) == 0 {
                continue;
            }
            let copy = with_suffix(&source, &format!("{DAMAGED}{stamp}"));
            fs::copy(&source, &copy).and_then(|_| File::open(&copy)?.sync_all()).map_err(|error| {
                let said = self.sentences.join("; ");
                fault::broken(format!(
                    "{said}. It cannot be set aside as {}: {error}; make room or copy the files yourself, then start again",
                    copy.display()
                ))
            })?;
            names.push(copy.display().to_string());
        }
        self.set_aside = true;
        self.say(format!("the files as they were found are kept as {}", names.join(" and ")));
        Ok(())
    }
}

/// An empty file is a new store only where nothing says otherwise.
fn refuse_emptiness(file: &Path, length: Option<u64>, log: Option<u64>, past: Past) -> Result<(), StoreError> {
    let advice = "restore it from a copy; to start empty, move all `countersign.*` files of this folder away";
    let shown = file.display();
    if log.unwrap_or(0) > 0 {
        return Err(fault::broken(format!(
            "{shown} is empty or missing while its write-ahead log holds data; {advice}"
        )));
    }
    if length == Some(0) && past == Past::HeldData {
        return Err(fault::broken(format!("{shown} is empty, though it held data before; {advice}")));
    }
    Ok(())
}

/// What the first page says of the file.
struct Header {
    page_size: u64,
    pages: u64,
}

impl Header {
    fn read(file: &Path) -> Result<Self, StoreError> {
        let mut head = [0; 100];
        let read = File::open(file).and_then(|mut open| open.read_exact(&mut head));
        let whole = read.is_ok() && head.starts_with(MAGIC);
        if !whole {
            return Err(fault::broken(format!(
                "{} is damaged: it does not begin as a database does. Nothing was changed; restore it from a copy, or move \
                 all `countersign.*` files of this folder away to start empty",
                file.display()
            )));
        }
        let page_size =
            match u64::from(head.get(16).copied().unwrap_or(0)) << 8 | u64::from(head.get(17).copied().unwrap_or(0)) {
                1 => 65536,
                size => size,
            };
        // The number of pages counts only where it was written with the newest change.
        let current = head.get(24..28) == head.get(92..96);
        let pages = if current { number(&head, 28) } else { 0 };
        Ok(Self { page_size, pages: u64::from(pages) })
    }
}

/// How much of a write-ahead log can be read.
#[derive(Debug, PartialEq, Eq)]
enum Log {
    /// All that was written.
    Whole,
    /// All that was committed: a transaction that was being written when the process died is not there.
    Torn,
    /// All but the last transaction, which was being written when the process died, or is damaged.
    LastLost,
    /// The beginning, and what was written after it is there but out of reach.
    Damaged {
        /// The first frame that is wrong, counted from 1.
        frame: u64,
        /// How many transactions are out of reach.
        lost: u64,
    },
    /// Nothing.
    Headless,
}

impl Log {
    fn sentence(&self, log: &Path) -> Option<String> {
        let log = log.display();
        match self {
            Self::Whole | Self::Torn => None,
            Self::LastLost => Some(format!(
                "the last transaction in {log} cannot be read: it was being written when the process or the machine died, or it \
                 is damaged"
            )),
            Self::Damaged { frame, lost } => Some(format!(
                "{log} is damaged at frame {frame}: the transactions from there on ({lost}) cannot be read and are missing"
            )),
            Self::Headless => Some(format!("{log} is damaged at its beginning: nothing in it can be read")),
        }
    }

    fn read(log: &Path) -> io::Result<Self> {
        let mut file = BufReader::with_capacity(BUFFER, File::open(log)?);
        let mut head = [0; LOG_HEAD];
        if !fill(&mut file, &mut head)? {
            return Ok(Self::Torn);
        }
        let Some(sums) = Sums::of_header(&head) else { return Ok(Self::Headless) };
        let page = number(&head, 8) as usize;
        let salts = head.get(16..24).unwrap_or_default().to_vec();
        let mut frame = vec![0; FRAME_HEAD + page];
        let (mut chain, mut at, mut wrong, mut lost, mut reached) = (sums, 0, None, 0, false);
        while fill(&mut file, &mut frame)? {
            at += 1;
            let ours = frame.get(8..16) == Some(salts.as_slice());
            let next = chain.over(frame.get(..8)).over(frame.get(FRAME_HEAD..));
            let said = Sums { one: number(&frame, 16), two: number(&frame, 20), ..chain };
            let right = ours && next == said;
            let commits = number(&frame, 4) != 0;
            match wrong {
                None if right => {}
                None => (wrong, lost) = (Some((at, ours)), u64::from(ours && commits)),
                Some(_) if ours => {
                    reached |= right;
                    lost += u64::from(commits);
                }
                Some(_) => {}
            }
            // What follows was summed up from what was written here, whatever became of it.
            chain = said;
        }
        Ok(match wrong {
            Some((frame, _)) if reached => Self::Damaged { frame, lost: lost.max(1) },
            Some((_, true)) if lost > 0 => Self::LastLost,
            Some((_, true)) => Self::Torn,
            _ => Self::Whole,
        })
    }
}

/// The running checksum of a write-ahead log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sums {
    one: u32,
    two: u32,
    big_endian: bool,
}

impl Sums {
    /// The sum of a header, where it is right.
    fn of_header(head: &[u8]) -> Option<Self> {
        let big_endian = match number(head, 0) {
            LITTLE => false,
            BIG => true,
            _ => return None,
        };
        let page = number(head, 8);
        let fits = (512..=65536).contains(&page) && page.is_power_of_two();
        let sums = Self { one: 0, two: 0, big_endian }.over(head.get(..24));
        (fits && sums.one == number(head, 24) && sums.two == number(head, 28)).then_some(sums)
    }

    fn over(mut self, bytes: Option<&[u8]>) -> Self {
        let (pairs, _) = bytes.unwrap_or_default().as_chunks::<8>();
        for [a, b, c, d, e, f, g, h] in pairs.iter().copied() {
            let word = |bytes| if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
            let (first, second) = (word([a, b, c, d]), word([e, f, g, h]));
            self.one = self.one.wrapping_add(first).wrapping_add(self.two);
            self.two = self.two.wrapping_add(second).wrapping_add(self.one);
        }
        self
    }
}

/// A big-endian number in bytes; 0 where they end.
fn number(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |four| u32::from_be_bytes(*four))
}

/// Fills a buffer; false where the file ends before.
fn fill(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

fn length(file: &Path) -> Option<u64> {
    fs::metadata(file).ok().map(|found| found.len())
}

fn log_of(file: &Path) -> PathBuf {
    with_suffix(file, "-wal")
}

fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Whether the file was set aside at an earlier start: a damaged file stays damaged, and one copy is enough.
fn has_copy(file: &Path) -> bool {
    let (Some(folder), Some(name)) = (file.parent(), file.file_name().and_then(|name| name.to_str())) else {
        return false;
    };
    let copy = format!("{name}{DAMAGED}");
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    names.map(|entry| entry.file_name()).any(|name| name.to_string_lossy().starts_with(&copy))
}

fn cannot(file: &Path, error: &io::Error) -> StoreError {
    fault::away(format!("cannot read {}: {error}", file.display()))
}

const MAGIC: &[u8] = b"SQLite format 3\0";
const LOG_HEAD: usize = 32;
const FRAME_HEAD: usize = 24;
/// Logs whose checksums are summed up from little-endian or big-endian words.
const LITTLE: u32 = 0x377f_0682;
const BIG: u32 = 0x377f_0683;
const BUFFER: usize = 256 * 1024;
/// What the name of a file that was set aside ends with, before the time.
const DAMAGED: &str = ".damaged-";
/// How long a start may take to check the file; longer where something is known to be wrong.
const QUICK: Duration = Duration::from_secs(2);
const THOROUGH: Duration = Duration::from_secs(30);
/// How often the time is looked at, in steps of SQLite.
const STEPS: i32 = 1_000;
