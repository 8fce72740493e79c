//! Commands that nobody can take back, because what they destroy lies outside the working copy or was never committed.
//!
//! What is committed can be checked out again; work that is not, a branch that others use, a cluster or a database
//! cannot. What is named as a test or scratch thing is meant to be destroyed.

use super::shell::{Ran, is_option};
use crate::check_call::danger::query::{self, Tool};
use crate::check_call::danger::simple::is_everything;
use crate::contract::Language;
use crate::policy::pattern::Pattern;
use crate::text::lists::word_list;
use std::sync::LazyLock;

/// What a command destroys.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Harm {
    /// In words.
    pub what: &'static str,
    /// How people call it where it is the user's own, so that their word is enough; empty where others have a part in it.
    pub own: &'static [&'static str],
}

/// What a command destroys.
pub(crate) fn find(ran: &Ran, language: Language) -> Option<Harm> {
    let shared = |what: &'static str| Harm { what, own: &[] };
    if let Some(rule) = find_rule(ran) {
        let own: &'static [&'static str] = if is_here(ran) { &rule.own } else { &[] };
        return Some(Harm { what: rule.say(language), own });
    }
    find_other(ran, language).map(shared)
}

/// What a line of the list says of a command.
fn find_rule(ran: &Ran) -> Option<&'static Rule> {
    let program = ran.program();
    if HARMLESS.iter().any(|option| ran.has(option)) {
        return None;
    }
    let known = RULES.iter().filter(|rule| rule.programs.contains(&program.as_str()));
    known.filter(|rule| program == "git" || rule.own == ["!"] || !is_disposable(ran)).find(|rule| rule.matches(ran))
}

/// Whether a command that may ask another machine asks this one: no address among its words, or a loopback.
fn is_here(ran: &Ran) -> bool {
    let pairs = ran.words.iter().zip(ran.words.iter().skip(1));
    let host = pairs.filter(|(option, _)| ["-h", "--host", "-u", "--url"].contains(&option.as_str())).map(|(_, at)| at);
    let mut asked = host.chain(ran.arguments().iter().filter(|word| word.contains("://")));
    ran.program() == "git" || asked.all(|at| ["127.0.0.1", "localhost", "::1"].iter().any(|own| at.contains(own)))
}

/// What no line of the list says.
fn find_other(ran: &Ran, language: Language) -> Option<&'static str> {
    let program = ran.program();
    if HARMLESS.iter().any(|option| ran.has(option)) {
        return None;
    }
    if destroys_in_production(ran) {
        return Some(say(language, "destroys data of production", "销毁生产环境的数据"));
    }
    if (program == "chown" || program == "chmod") && ran.has("-R") && ran.plain().any(is_everything) {
        return Some(say(language, "changes the owner of the system's files", "更改系统文件的权限"));
    }
    if CONTAINERS.contains(&program.as_str()) && ran.arguments().iter().any(|word| mounts_host(word)) {
        return Some(say(language, "gives a container the files of this machine", "让容器写入本机的系统文件"));
    }
    let queried = DATABASES.contains(&program.as_str()) && !is_disposable(ran) && queries(ran);
    queried.then(|| say(language, "changes or empties whole tables", "修改或清空整张表"))
}

/// Whether a command whose environment is production drops or resets something: `RAILS_ENV=production rails db:drop`,
/// `doctrine:database:drop --env=prod`. Any framework, by the shape of its words.
fn destroys_in_production(ran: &Ran) -> bool {
    let is_production = |value: &str| PRODUCTION.contains(&value.to_ascii_lowercase().as_str());
    let names_stage = |name: &str| {
        let name = name.trim_start_matches('-').to_ascii_lowercase();
        STAGES.iter().any(|stage| name == *stage || name.ends_with(&format!("_{stage}")))
    };
    let assigned = ran.env.iter().chain(ran.arguments()).filter_map(|word| word.split_once('='));
    let pairs = ran.words.iter().zip(ran.words.iter().skip(1)).filter(|(option, _)| option.starts_with("--"));
    let mut stages = assigned.chain(pairs.map(|(option, value)| (option.as_str(), value.as_str())));
    if ran.program() == "git" || !stages.any(|(name, value)| names_stage(name) && is_production(value)) {
        return false;
    }
    // A task of a framework names what it works on: `db:drop`, `migrate:fresh`, `prisma migrate reset`.
    let parts: Vec<String> =
        ran.plain().flat_map(|word| word.split([':', '-', '_', '.'])).map(str::to_ascii_lowercase).collect();
    let has = |list: &[&str]| parts.iter().any(|part| list.contains(&part.as_str()));
    has(DESTROYING) && has(STORES)
}

/// Whether a word mounts a folder of the system that can be written to: `-v /:/host`, `--mount=type=bind,source=/,…`.
fn mounts_host(word: &str) -> bool {
    let value = word.strip_prefix("--volume=").or_else(|| word.strip_prefix("-v")).unwrap_or(word);
    let source = match value.split_once(":/") {
        Some((source, _)) => Some(source),
        None => value.split(',').find_map(|part| part.strip_prefix("source=").or_else(|| part.strip_prefix("src="))),
    };
    let read_only = value.ends_with(":ro") || value.contains(",readonly") || value.contains(",ro");
    !read_only && source.is_some_and(|source| source.starts_with('/') && is_everything(source))
}

fn say(language: Language, english: &'static str, chinese: &'static str) -> &'static str {
    match language {
        Language::English => english,
        Language::Chinese => chinese,
    }
}

/// Whether one of the queries on a command line reaches whole tables.
fn queries(ran: &Ran) -> bool {
    let mut texts = ran.arguments().iter().filter(|word| word.contains(' ')).chain(&ran.input);
    texts.any(|text| query::judge(text, Tool::Any).is_some())
}

/// Whether a word names a thing that is there to be thrown away: `shop_test`, `--env=dev`, `:memory:`.
fn is_disposable(ran: &Ran) -> bool {
    let short = ran.arguments().iter().filter(|word| word.len() < 200 && !word.contains(' '));
    short.flat_map(|word| word.split(|c: char| !c.is_ascii_alphanumeric())).any(|part| {
        DISPOSABLE.contains(&part.trim_end_matches(|c: char| c.is_ascii_digit()).to_ascii_lowercase().as_str())
    })
}

struct Rule {
    programs: Vec<&'static str>,
    options: Vec<Vec<&'static str>>,
    words: Vec<Vec<Pattern>>,
    english: &'static str,
    chinese: &'static str,
    own: Vec<&'static str>,
}

impl Rule {
    fn read(line: &'static str) -> Option<Self> {
        let mut fields = line.split('\t');
        let programs = fields.next()?.split('|').collect();
        let all: Vec<Vec<&str>> = fields.next()?.split(' ').map(|word| word.split('|').collect()).collect();
        let is_options = |word: &Vec<&str>| word.iter().any(|word| word.starts_with('-'));
        let (options, words): (Vec<_>, Vec<_>) = all.into_iter().partition(is_options);
        let words = words.into_iter().map(|word| word.into_iter().map(Pattern::new).collect()).collect();
        let (english, chinese) = (fields.next()?, fields.next()?);
        let own = fields.next().unwrap_or_default().split('|').filter(|word| !word.is_empty()).collect();
        Some(Self { programs, options, words, english, chinese, own })
    }

    fn matches(&self, ran: &Ran) -> bool {
        let given = |options: &Vec<&str>| {
            options.iter().any(|option| ran.arguments().iter().any(|w| is_option(w, option) || w == option))
        };
        let mut rest = ran.plain();
        let mut follows =
            |word: &Vec<Pattern>| rest.by_ref().any(|given| word.iter().any(|pattern| pattern.matches(given)));
        self.options.iter().all(given) && self.words.iter().all(&mut follows)
    }

    fn say(&self, language: Language) -> &'static str {
        say(language, self.english, self.chinese)
    }
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&RULES);
}

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let lines = include_str!("data/harm.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(Rule::read).collect()
});

/// With one of these a command only shows what it would do.
const HARMLESS: &[&str] = &["--dry-run", "--dryrun", "--help", "--what-if"];
/// How the variable or the option is called that says where a command works.
const STAGES: &[&str] = &["env", "environment", "stage"];
const PRODUCTION: &[&str] = &["production", "prod", "live"];
const DESTROYING: &[&str] = &["drop", "reset", "destroy", "purge", "truncate", "wipe", "fresh", "flush"];
/// What a framework keeps its data in.
const STORES: &[&str] = &["db", "database", "schema", "migrate", "migrations", "data", "table", "tables"];
const DATABASES: &[&str] =
    &["psql", "mysql", "mariadb", "sqlite3", "duckdb", "clickhouse-client", "sqlcmd", "cockroach"];
const CONTAINERS: &[&str] = &["docker", "podman", "nerdctl"];
const DISPOSABLE: &[&str] = word_list!("coding", "harm/disposable");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coding::shell::commands;

    fn harms(text: &str) -> bool {
        commands(text).iter().any(|ran| find(ran, Language::English).is_some())
    }

    #[test]
    fn every_line_of_the_list_is_read() {
        let lines = include_str!("data/harm.tsv").lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(RULES.len(), lines);
    }

    #[test]
    fn what_cannot_be_taken_back_is_seen() {
        // HOOK-1
        for bad in [
            "git push --force origin main",
            "git push -fu origin HEAD:master",
            "cd infra && terraform destroy -auto-approve",
            "kubectl -n prod delete namespace shop",
            "aws ec2 terminate-instances --instance-ids i-1",
            "psql $URL -c 'TRUNCATE orders'",
            "psql $URL <<'X'\nDELETE FROM users;\nX",
            "sudo crontab -r",
            "git reset --hard HEAD~5 && git clean -fdx",
            "git checkout -- .",
            "echo 'TRUNCATE TABLE orders, payments CASCADE;' | psql \"$PROD_DATABASE_URL\"",
            "(crontab -l; echo '* * * * * x') | crontab -",
            "docker run --rm -v /:/host alpine rm -rf /host/home",
            "podman run --mount=type=bind,source=/etc,target=/e alpine sh",
            "sudo systemctl disable --now auditd",
            "git config core.hooksPath /dev/null",
            "git push origin +refs/heads/main:refs/heads/main",
            "git push origin --delete release/2.4",
            "gh api -X PUT repos/a/b/collaborators/bot -f permission=admin",
            "kubectl -n prod scale deploy --all --replicas=0",
            "git reflog expire --expire=now --all",
            "gh repo deploy-key add /tmp/key.pub --allow-write -t ci",
            "RAILS_ENV=production bin/rails db:drop",
            "env APP_ENV=prod php artisan migrate:fresh --force",
            "php bin/console doctrine:database:drop --force --env=prod",
        ] {
            assert!(harms(bad), "{bad}");
        }
    }

    #[test]
    fn look_alikes_of_what_cannot_be_taken_back_are_left_alone() {
        // HOOK-1
        for good in [
            "git push --force-with-lease origin fix/a",
            "git reflog expire --expire=90.days",
            "git gc --prune=now",
            "gh repo deploy-key list",
            "RAILS_ENV=production bin/rails assets:precompile",
            "RAILS_ENV=test bin/rails db:drop db:create",
            "NODE_ENV=production npm run build -- --reset-cache",
            "RAILS_ENV=production bin/rails db:migrate",
            "systemctl status auditd",
            "sudo systemctl restart nginx",
            "git config user.name dev",
            "git config core.hooksPath .githooks",
            "gh api repos/a/b/collaborators",
            "kubectl -n prod scale deploy/api --replicas=4",
            "kubectl -n dev scale deploy/api --replicas=0",
            "git push --force origin fix/main-page",
            "git push origin main",
            "terraform plan -destroy",
            "kubectl delete pod api-1",
            "kubectl delete namespace pr-12-test",
            "psql shop_test -c 'TRUNCATE orders'",
            "psql -c 'DELETE FROM a WHERE id = 1'",
            "aws s3 rm s3://b/key",
            "aws s3 rm s3://b/p --recursive --dryrun",
            "git commit -m 'terraform destroy'",
            "crontab -l",
            "git reset HEAD~1",
            "git reset --soft HEAD~1",
            "git clean -nd",
            "git checkout -- src/a.rs",
            "git checkout main",
            "git stash pop",
            "echo 'SELECT 1' | psql $URL",
            "echo 'TRUNCATE orders' | psql shop_test",
            "echo 'TRUNCATE orders' | tee notes.txt",
            "docker run -v $PWD:/app -v /tmp:/tmp node npm test",
            "docker run -v /etc/localtime:/etc/localtime:ro -v /:/host:ro node-exporter",
        ] {
            assert!(!harms(good), "{good}");
        }
    }
}
