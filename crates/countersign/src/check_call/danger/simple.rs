//! One command with its words: whether it destroys more than it should.

use super::program::name_of;

/// How bad it is, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Harm {
    /// It may reach more than it names.
    Likely,
    /// It empties or removes a whole table.
    Table,
    /// It ends or restarts the machine.
    Power(Power),
    /// It destroys, or runs what nobody can read.
    Sure,
}

/// What happens to the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Power {
    /// It goes off.
    Off,
    /// It starts again.
    Restart,
}

/// What one command would do: its program's name, then its arguments.
pub(crate) fn judge(words: &[&str]) -> Option<Harm> {
    let (first, rest) = words.split_first()?;
    let name = name_of(first).to_ascii_lowercase();
    if let Some(power) = power(&name, rest) {
        return Some(Harm::Power(power));
    }
    let flag = |letter: char| {
        rest.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
    };
    let option = |option: &str| rest.contains(&option);
    let any = |is: fn(&str) -> bool| rest.iter().any(|word| is(word));
    let recursive = flag('r') || flag('R') || option("--recursive");
    let destroys = match name.as_str() {
        "rm" => option("--no-preserve-root") || (recursive && any(is_everything)),
        "chmod" | "chown" => recursive && any(|word| matches!(resolve(word).as_str(), "/" | "/*")),
        "dd" => rest.iter().any(|word| word.strip_prefix("of=").is_some_and(is_disk)),
        "shred" | "wipefs" | "tee" | "blkdiscard" => any(is_disk),
        "cp" | "mv" => rest.last().is_some_and(|to| is_disk(to)) || (name == "mv" && moves_everything(rest)),
        "kill" => option("-9") && option("-1"),
        "nc" | "ncat" | "netcat" => option("-e") || option("--exec") || option("--sh-exec"),
        "find" => {
            let root = rest.iter().find(|word| !word.starts_with('-'));
            root.is_some_and(|root| is_everything(root) && !matches!(*root, "*" | "." | "./*")) && option("-delete")
        }
        "format" | "format.com" => rest.first().is_some_and(|drive| drive.len() == 2 && drive.ends_with(':')),
        "del" | "rd" | "rmdir" | "erase" => rest.iter().any(|word| word.eq_ignore_ascii_case("/s")) && any(is_drive),
        "remove-item" => rest.iter().any(|word| word.eq_ignore_ascii_case("-recurse")) && any(is_drive),
        _ => name.starts_with("mkfs") && !rest.last().is_some_and(|to| is_image(to)),
    };
    destroys.then_some(Harm::Sure)
}

/// Whether a word names an ordinary file: what a file system may be made in.
fn is_image(word: &str) -> bool {
    word.contains('.') && !word.contains('$') && !resolve(word).starts_with("/dev")
}

fn power(name: &str, rest: &[&str]) -> Option<Power> {
    let has = |words: &[&str]| rest.iter().any(|word| words.contains(word));
    match name {
        // What is called off, asked about or only announced ends nothing.
        "shutdown" if has(&["-c", "--help", "/a", "-a", "-k", "--show"]) => None,
        "shutdown" if has(&["-r", "/r", "--reboot"]) => Some(Power::Restart),
        "shutdown" | "halt" | "poweroff" if !has(&["--help"]) => Some(Power::Off),
        "reboot" if !has(&["--help"]) => Some(Power::Restart),
        "init" | "telinit" => match rest.first() {
            Some(&"0") => Some(Power::Off),
            Some(&"6") => Some(Power::Restart),
            _ => None,
        },
        "systemctl" if has(&["poweroff", "halt"]) => Some(Power::Off),
        "systemctl" if has(&["reboot", "kexec"]) => Some(Power::Restart),
        "stop-computer" => Some(Power::Off),
        "restart-computer" => Some(Power::Restart),
        _ => None,
    }
}

/// `mv / /dev/null`
fn moves_everything(rest: &[&str]) -> bool {
    rest.last() == Some(&"/dev/null") && rest.iter().any(|word| is_everything(word))
}

/// The root, the home, everything here, or a directory of the system.
pub(crate) fn is_everything(word: &str) -> bool {
    let path = resolve(word);
    let bare = path.trim_end_matches('*').trim_end_matches('/');
    let home = ["~", "$HOME", "~root"].contains(&bare);
    let here = ["*", ".", "./*", "..", "../*", "/", "/*"].contains(&path.as_str());
    home || here || SYSTEM.contains(&bare) || is_drive(word)
}

/// A path without doubled slashes and without steps that lead nowhere: `//`, `/./`, `/tmp/..`.
fn resolve(word: &str) -> String {
    if !word.contains('/') || !word.starts_with(['/', '~', '$', '.']) {
        return word.to_owned();
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in word.split('/').skip(usize::from(word.starts_with('/'))) {
        match part {
            "" => {}
            "." if !parts.is_empty() || word.starts_with('/') => {}
            ".." if parts.last().is_some_and(|last| *last != ".." && *last != ".") => {
                parts.pop();
            }
            ".." if word.starts_with('/') => {}
            part => parts.push(part),
        }
    }
    let root = if word.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}

fn is_drive(word: &str) -> bool {
    let bare = word.trim_end_matches('*').trim_end_matches(['\\', '/']);
    bare.len() == 2 && bare.ends_with(':') && bare.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Whether a path is a whole disk.
pub(crate) fn is_disk(path: &str) -> bool {
    let disks = ["/dev/sd", "/dev/nvme", "/dev/hd", "/dev/vd", "/dev/xvd", "/dev/disk", "/dev/mmcblk"];
    disks.iter().any(|disk| path.starts_with(disk)) || path.contains("PhysicalDrive")
}

const SYSTEM: &[&str] = &[
    "/etc", "/usr", "/var", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/home", "/root", "/dev", "/sys", "/proc",
    "/Users", "/System", "/Library", "/opt", "/srv",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_mean_everything() {
        // CALL-6
        for all in
            ["/", "//", "/./", "/tmp/..", "/*", "~", "~/", "~/*", "$HOME", "$HOME/", "../", ".", "/etc/", "C:\\", "./*"]
        {
            assert!(is_everything(all), "{all}");
        }
        for some in [
            "build",
            "./build",
            "/tmp/x",
            "~/projects/a",
            "../dist",
            "/var/log/app",
            "",
            "$1",
            "$DIR/",
            ".git",
            "/etc/nginx",
        ] {
            assert!(!is_everything(some), "{some}");
        }
    }
}
