//! Tags in whole turns: sentences in the language of the conversation, each on its own line, and failures in words.

use super::rig::{Node, Plan, Runs, Seeker, check_log, field, in_order, last, mind, of, warned, words};
use crate::streams::bench::Got;
use countersign::contract::EventType;
use countersign_runtime::sessions::ThingKind;
use std::sync::Arc;

fn content(got: &Got) -> String {
    field(of(got, EventType::Message).last().unwrap(), "content").to_owned()
}

fn deltas(got: &Got) -> String {
    of(got, EventType::TextDelta).map(|delta| field(delta, "content")).collect()
}

// PARSE-5, STREAM-7: the conversation decides the language, whatever the answer and its tags are written in.
#[tokio::test(start_paused = true)]
async fn sentences_are_in_the_language_of_the_conversation() {
    for (question, answer, said) in [
        (
            "请帮我保存这段资料。",
            "OK. <save_material><id>3</id><content>English words only.</content></save_material> Done.",
            "OK.\n📎 已保存素材：material3\nDone.",
        ),
        (
            "Please keep this for me.",
            "好的。<create_note><name>计划</name><content>买茶叶。</content></create_note>",
            "好的。\n📝 Note created: 计划",
        ),
        (
            "请记下来。",
            "<create_note><name>Plan</name><content>Buy tea.</content></create_note><save_material><content>tea</content></save_material>",
            "📝 已创建笔记：Plan\n📎 已保存素材：material1",
        ),
    ] {
        let answer = answer.to_owned();
        let node = Node::new(Plan::new(mind(move |_| words(&answer))));
        let got = node.turn("concierge", question).await;
        check_log(&got);
        assert_eq!((last(&got), content(&got)), ("completed", said.to_owned()));
        assert_eq!(deltas(&got), said, "what was streamed is what stands there");
    }
}

// PARSE-5: a word that could be of any language does not change the language of a conversation.
#[tokio::test(start_paused = true)]
async fn a_short_word_does_not_change_the_language() {
    let note = "<create_note><name>A</name><content>b</content></create_note>";
    let node = Node::new(Plan::new(mind(move |_| words(note))));
    let session = node.session("concierge").await;
    node.say(&session, "请帮我记下来，谢谢。").await;
    assert_eq!(content(&node.say(&session, "OK").await), "📝 已创建笔记：A");
    assert_eq!(content(&node.say(&session, "Now speak English to me, please.").await), "📝 Note created: A");
    assert_eq!(content(&node.say(&session, "iPhone 15").await), "📝 Note created: A");
    assert_eq!(content(&node.say(&session, "换成中文").await), "📝 已创建笔记：A");
}

// PARSE-5, STREAM-7: a tag without its content is a failure in words, and nothing is kept.
#[tokio::test(start_paused = true)]
async fn a_material_without_content_is_not_kept() {
    for (question, answer, said) in [
        (
            "Please keep this for me.",
            "I keep it. <save_material><id>3</id></save_material>",
            "I keep it.\n❌ The material material3 could not be saved: it has no content",
        ),
        (
            "请帮我保存一下。",
            "好。<save_material><content> \n</content></save_material>",
            "好。\n❌ 素材保存失败：没有内容",
        ),
        (
            "Please note this for me.",
            "<create_note><name>Plan</name></create_note>",
            "❌ The note “Plan” could not be created: it has no content",
        ),
        ("Please look it up.", "<web_search> </web_search>", "❌ The search failed: it has no content"),
    ] {
        let answers = vec![words(answer)];
        let plan = Plan { search: Some(Arc::new(Seeker(Runs::default()))), ..Plan::new(in_order(answers)) };
        let node = Node::new(plan);
        let session = node.session("concierge").await;
        let got = node.say(&session, question).await;
        assert_eq!(last(&got), "completed");
        let first = of(&got, EventType::Message).find(|said| field(said, "role") == "assistant").unwrap();
        assert_eq!(field(first, "content"), said);
        assert_eq!(warned(&got), ["tag_failed"]);
        for kind in [ThingKind::Note, ThingKind::Material] {
            assert!(node.sessions.things(kind, &session.session_id).await.unwrap().is_empty(), "{answer}");
        }
        assert_eq!(of(&got, EventType::Note).chain(of(&got, EventType::Material)).count(), 0);
    }
}
