//! What the readers accept, and what they refuse.

use std::io::Write as _;

use proptest::prelude::*;

use super::*;

fn parse(text: &str) -> Votes {
    parse_votes(text.as_bytes()).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

fn message(bytes: impl AsRef<[u8]>) -> String {
    parse_votes(bytes.as_ref()).unwrap_err().to_string()
}

/// The votes in short notation, such as `a>b` for a vote in which `a` wins.
fn told(votes: &Votes) -> String {
    let name = |arm: Arm| votes.names()[arm.index()].as_str();
    let words = votes.votes().iter().map(|vote| {
        let sign = match vote.verdict {
            Verdict::Left => ">".to_owned(),
            Verdict::Right => "<".to_owned(),
            Verdict::Tie => "=".to_owned(),
            Verdict::BothBad => "!".to_owned(),
            Verdict::Score(outcome) => format!("({})", outcome.score()),
        };
        let times =
            if vote.weight.to_bits() == 1f64.to_bits() { String::new() } else { format!("*{}", vote.weight) };
        format!("{}{sign}{}{times}", name(vote.left), name(vote.right))
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn trace_our_own_csv() {
    let votes = parse(
        "left,right,outcome\nb,a,left\na,b,right\nc,a,tie\na,c,both_bad\nb,c,skip\nb,c,0.25\nb,c,-1\nc,c,left\n",
    );
    assert_eq!(votes.names(), ["a", "b", "c"]);
    assert_eq!(told(&votes), "b>a a<b c=a a!c b(0.25)c b<c");
    assert_eq!(votes.dropped(), Dropped { skipped: 1, same_arm: 1, passed_over: 0 });
    assert!(votes.unused().is_empty());
}

#[test]
fn trace_columns_in_any_order_with_others_between() {
    let votes =
        parse("\u{feff}voter,Outcome,task,right,LEFT,weight\n7,left,x,b,a,2\n\n8, Tie ,y, b , a ,0.5\r\n");
    assert_eq!(told(&votes), "a>b*2 a=b*0.5");
    assert_eq!(votes.unused(), ["task"]);
    for text in ["left;right;outcome\na;b;left", "left\tright\toutcome\na\tb\tleft\n"] {
        assert_eq!(told(&parse(text)), "a>b", "{text:?}");
    }
    assert_eq!(told(&parse("left,right,outcome\n\"a, \"\"x\"\"\",b,left\n")), "a, \"x\">b");
}

#[test]
fn trace_chatbot_arena_in_three_forms() {
    let battles = [
        ("m1", "m2", "model_a"),
        ("m1", "m2", "model_b"),
        ("m2", "m3", "tie"),
        ("m3", "m1", "tie (bothbad)"),
    ];
    let expected = "m1>m2 m1<m2 m2=m3 m3!m1";
    let csv: Vec<_> = battles.iter().map(|(a, b, w)| format!("q,{a},{b},{w},j,1,1682351591.1\n")).collect();
    let csv = parse(&format!("question_id,model_a,model_b,winner,judge,turn,tstamp\n{}", csv.concat()));
    assert_eq!(told(&csv), expected);
    assert_eq!(csv.unused(), ["question_id", "turn"]);
    let objects = battles.map(|(a, b, w)| {
        format!(
            "{{\"model_a\": \"{a}\", \"model_b\": \"{b}\", \"winner\": \"{w}\", \"judge\": \"j\", \"turn\": 1, \
             \"conversation_a\": [{{\"role\": \"user\", \"content\": \"a \\\"word\\\" }}]\"}}], \"tstamp\": 1.5}}"
        )
    });
    assert_eq!(told(&parse(&objects.join("\n"))), expected);
    assert_eq!(told(&parse(&format!("[\n  {}\n]\n", objects.join(",\n  ")))), expected);
    assert_eq!(told(&parse(" [ ] ")), "");
    let ours = "{\"left\": \"a\", \"right\": \"b\", \"outcome\": 0.5, \"weight\": 3}\n{\"left\":\"a\",\"right\":\"b\",\"outcome\":\"skip\"}";
    assert_eq!(told(&parse(ours)), "a(0.5)b*3");
}

#[test]
fn trace_the_log_of_fastchat() {
    let line = |kind: &str, models: &str, names: [&str; 2]| {
        format!(
            "{{\"tstamp\": 1.5, \"type\": \"{kind}\", \"models\": {models}, \"states\": [{{\"model_name\": {}, \
             \"messages\": [[\"user\", \"hi\"]], \"offset\": 0}}, {{\"model_name\": {}}}], \"ip\": \"x\"}}\n",
            names[0], names[1]
        )
    };
    let known = ["\"m1\"", "\"m2\""];
    let log = [
        line("leftvote", "[\"\", \"\"]", known),
        line("rightvote", "[\"m1\", \"m2\"]", known),
        line("tievote", "[\"Model A\", \"Model B\"]", known),
        line("bothbad_vote", "[\"<h3>Model A: m1</h3>\\n\", \"### Model B: m2\"]", ["null", "null"]),
        // Not votes: another event, names that do not match the models that answered, no names.
        line("upvote", "[\"m1\", \"m2\"]", known),
        "{\"tstamp\": 1.5, \"type\": \"chat\", \"model\": \"m1\", \"state\": {\"messages\": []}}\n"
            .to_owned(),
        line("leftvote", "[\"m3\", \"m2\"]", known),
        line("leftvote", "[null, null]", ["null", "null"]),
    ];
    let votes = parse(&log.concat());
    assert_eq!(told(&votes), "m1>m2 m1<m2 m1=m2 m1!m2");
    assert_eq!(votes.dropped().passed_over, 4);
}

#[test]
fn trace_gzip_of_either_form() {
    for text in ["left,right,outcome\na,b,left\n", "{\"left\":\"a\",\"right\":\"b\",\"outcome\":\"left\"}"] {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        let bytes = encoder.finish().unwrap();
        assert_eq!(told(&parse_votes(bytes.as_slice()).unwrap()), "a>b");
        assert!(message(&bytes[..bytes.len() - 9]).contains("reading failed"));
    }
}

#[test]
fn trace_every_error_names_line_and_field() {
    let rows = |rows: &str| message(format!("left,right,outcome,weight\n\n{rows}"));
    assert_eq!(message(""), "it contains no votes");
    assert_eq!(message("\n \n"), "it contains no votes");
    assert_eq!(
        message("a,b,left\n"),
        "line 1: there is no column for `left`, only `a`, `b`, `left`"
            .replace("`left`, only", "`right`, only")
    );
    assert_eq!(
        message("\nleft,winner,model_a\n"),
        "line 2: the columns `left` and `model_a` both mean `left`"
    );
    assert_eq!(rows("a,b,left\n"), "line 3: the number of fields is 3, but the header has 4");
    assert_eq!(
        rows("a,b,left,1\n\n\na,b,both,1\n"),
        "line 6, `outcome`: `both` is not one of left, right, tie, both_bad, skip or a score from -1 to 1"
    );
    assert_eq!(rows("a,b,1.5,1\n").split(": ").next(), Some("line 3, `outcome`"));
    assert_eq!(rows("a,b,nan,1\n").split(": ").next(), Some("line 3, `outcome`"));
    assert_eq!(rows("a,b,,1\n").split(": ").next(), Some("line 3, `outcome`"));
    assert_eq!(rows("a,b,left,0\n"), "line 3, `weight`: `0` is not a weight from 1e-9 to 1e9");
    assert_eq!(rows("a,b,left,inf\n"), "line 3, `weight`: `inf` is not a weight from 1e-9 to 1e9");
    assert_eq!(
        rows("\"a\nx\",b,left,1\n"),
        "line 3, `left`: `a\u{fffd}x` cannot be an arm's name: it contains a control character"
    );
    assert_eq!(rows("a, ,left,1\n"), "line 3, `right`: `` cannot be an arm's name: it is empty");
    assert_eq!(
        rows(&format!("a,{},left,1\n", "b".repeat(1001))).rsplit(": ").next(),
        Some("it has more than 1000 bytes")
    );
    assert_eq!(
        message(b"left,right,outcome\na,\xff,left\n"),
        "line 2, `right`: `\u{fffd}` cannot be an arm's name: it is not UTF-8"
    );
}

#[test]
fn trace_every_error_in_json_names_line_and_field() {
    let good = "{\"left\": \"a\", \"right\": \"b\", \"outcome\": \"tie\"}";
    assert_eq!(
        message(format!("[{good},\n\n{{\"left\": \"a\",\n\"right\": \"b\"}}]")),
        "line 3: `outcome` is missing"
    );
    assert_eq!(message(format!("{good}\n{{\"winner\": \"tie\"}}")), "line 2: `left` is missing");
    assert!(
        message(format!("{good}\n{}", good.replace("tie", "won")))
            .starts_with("line 2, `outcome`: `won` is not one of")
    );
    assert!(
        message(format!("{good}\n{}", good.replace("\"tie\"", "7")))
            .starts_with("line 2, `outcome`: `7` is not one of")
    );
    assert_eq!(
        message(format!("{good}\n{{\"left\": 3}}")),
        "line 2, column 11: invalid type: integer `3`, expected a string"
    );
    assert!(message(format!("[{good}\n{good}]")).starts_with("line 2, column 1: expected `,` or `]`"));
    assert!(message(format!("[{good}] x")).contains("trailing characters"));
    assert!(message(&good[..20]).starts_with("line 1, column 20: EOF while parsing"));
}

/// Reading stops at a quote or a string that is never closed, before it fills the memory.
#[test]
fn trace_a_record_without_end_is_stopped() {
    let endless = |start: &str| {
        let text = start.as_bytes().chain(io::repeat(b'x'));
        parse_votes(BufReader::new(text)).unwrap_err().to_string()
    };
    let stopped =
        |line| format!("line {line}: the record exceeds 16777216 bytes; is a quote or a brace left open?");
    assert_eq!(endless("left,right,outcome\na,b,left\n\"a"), stopped(3));
    assert_eq!(endless(""), stopped(1));
    assert_eq!(message(",".repeat(5000)), "line 1: the record exceeds 4096 fields");
    assert_eq!(endless("{\"left\": \"a\",\n\"conversation_a\": \""), stopped(1));
    assert_eq!(endless("[\n\n{\"left\": \""), stopped(3));
    let lines = BufReader::new("left,right,outcome\n\"a\n".as_bytes().chain(Lines));
    assert_eq!(parse_votes(lines).unwrap_err().to_string(), stopped(2));
}

/// Endless lines.
struct Lines;

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        for (i, byte) in buffer.iter_mut().enumerate() {
            *byte = if i % 64 == 63 { b'\n' } else { b'y' };
        }
        Ok(buffer.len())
    }
}

#[test]
fn trace_counts_of_a_pair() {
    let votes = parse(
        "left,right,outcome,weight\na,b,left,1\nb,a,left,2\na,b,tie,1\nb,a,both_bad,1\nb,a,0.5,1\nc,a,left,1\n",
    );
    let counts = votes.counts();
    assert_eq!((counts.n_arms(), counts.n_pairs(), counts.pairs().len()), (3, 3, 2));
    let pair = counts.get(Arm::new(1), Arm::new(0)).unwrap();
    // The score 0.5 for b is 3/4 of a win of b and 1/4 of a win of a.
    let sums = [pair.weight, pair.wins, pair.losses, pair.ties, pair.both_bad, pair.reward()];
    assert_eq!((pair.votes, sums), (5, [6.0, 1.25, 2.75, 1.0, 1.0, 2.25]));
    assert_eq!(counts.get(Arm::new(1), Arm::new(2)), None);
}

fn rows() -> impl Strategy<Value = Vec<(u8, u8, &'static str)>> {
    let words = proptest::sample::select(vec!["left", "right", "tie", "both_bad", "skip", "0.25", "-0.5"]);
    proptest::collection::vec((0..6u8, 0..6u8, words), 0..40)
}

fn csv(rows: &[(u8, u8, &str)]) -> String {
    let lines = rows.iter().map(|(left, right, said)| format!("arm{left},arm{right},{said}\n"));
    format!("left,right,outcome\n{}", lines.collect::<String>())
}

proptest! {
    #[test]
    fn law_arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = parse_votes(bytes.as_slice());
    }

    /// Text that resembles votes reaches more code than arbitrary bytes.
    #[test]
    fn law_arbitrary_text_never_panics(
        start in proptest::sample::select(vec!["left,right,outcome\n", "[", "{\"left\":\"a\",", "\x1f\u{8b}", ""]),
        text in "[a-c,;\"\\[\\]{}:\r\n.0-9 ]{0,60}",
    ) {
        let _ = parse_votes((start.to_owned() + &text).as_bytes());
    }

    /// Every row is a vote or is counted as dropped.
    #[test]
    fn law_counts_sum(rows in rows()) {
        let votes = parse(&csv(&rows));
        let dropped = votes.dropped();
        prop_assert_eq!(votes.votes().len() as u64 + dropped.skipped + dropped.same_arm, rows.len() as u64);
        let counts = votes.counts();
        prop_assert_eq!(counts.pairs().iter().map(|pair| pair.votes).sum::<u64>(), votes.votes().len() as u64);
        for pair in counts.pairs() {
            // Quarters: the sums are exact.
            let sum = pair.wins + pair.losses + pair.ties + pair.both_bad;
            prop_assert_eq!(sum.to_bits(), pair.weight.to_bits());
        }
    }

    /// The counts do not depend on the order of the lines.
    #[test]
    fn law_order_does_not_matter(rows in rows(), at in 0..40usize) {
        let mut turned = rows.clone();
        turned.rotate_left(at.min(rows.len()));
        let (one, two) = (parse(&csv(&rows)), parse(&csv(&turned)));
        prop_assert_eq!(one.names(), two.names());
        prop_assert_eq!(one.counts(), two.counts());
    }

    /// The same votes in CSV and in JSON lines are read alike.
    #[test]
    fn law_formats_agree(rows in rows()) {
        prop_assume!(!rows.is_empty());
        let json = rows.iter().map(|(left, right, said)| {
            format!("{{\"model_a\":\"arm{left}\",\"model_b\":\"arm{right}\",\"winner\":\"{said}\"}}\n")
        });
        prop_assert_eq!(parse(&csv(&rows)), parse(&json.collect::<String>()));
    }
}

/// `visit_votes` passes rows on as they are, with the fields that `parse_votes` ignores.
#[test]
fn trace_votes_one_at_a_time() {
    let rows = |text: &str, format: Format| {
        let mut rows = Vec::new();
        let visited = visit_votes(text.as_bytes(), format, &mut |row| {
            rows.push(format!(
                "{} {} {} {:?} {} {:?} {:?} {:?}",
                row.line, row.left, row.right, row.said, row.weight, row.time, row.voter, row.pscore
            ));
            true
        });
        (visited.unwrap(), rows)
    };
    let csv = "left,right,outcome,time,voter,pscore,weight,note\na,b,left,2026-01-31T12:00:00Z,u1,0.25,1,x\n\na,a,skip,, ,,0.5,\n";
    let (visited, read) = rows(csv, Format::Auto);
    assert_eq!(visited, Visited { passed_over: 0, unused: vec!["note".to_owned()], is_whole: true });
    let first = "2 a b Some(Left) 1 Some(\"2026-01-31T12:00:00Z\") Some(\"u1\") Some(\"0.25\")";
    assert_eq!(read, [first, "4 a a None 0.5 None None None"]);

    let json = "[{\"model_a\":\"a\",\"model_b\":\"b\",\"winner\":\"tie (bothbad)\",\"tstamp\":1682351591.5,\"timestamp\":3,\"judge\":\"j\"},\n\
                {\"left\":\"a\",\"right\":\"b\",\"outcome\":0.5,\"voter\":{\"id\":[1]},\"pscore\":0.5,\"time\":null}]";
    let (visited, read) = rows(json, Format::Json);
    assert!(visited.is_whole);
    let first = "1 a b Some(BothBad) 1 Some(\"1682351591.5\") Some(\"j\") None";
    assert_eq!(read[0], first);
    assert!(read[1].ends_with("1 None None Some(\"0.5\")"), "{}", read[1]);
    assert!(visit_votes(json.as_bytes(), Format::Csv, &mut |_| true).is_err());
}

/// Reading stops when the visitor returns false. The rest of the file is not read.
#[test]
fn trace_reading_stops_when_told() {
    for text in [
        "left,right,outcome\na,b,left\nbroken",
        "{\"left\":\"a\",\"right\":\"b\",\"outcome\":\"left\"}\nbroken",
        "[{\"left\":\"a\",\"right\":\"b\",\"outcome\":\"left\"} broken",
    ] {
        let mut n_votes = 0;
        let visited = visit_votes(text.as_bytes(), Format::Auto, &mut |_| {
            n_votes += 1;
            false
        });
        assert_eq!((visited.unwrap().is_whole, n_votes), (false, 1), "{text}");
        assert!(visit_votes(text.as_bytes(), Format::Auto, &mut |_| true).is_err(), "{text}");
    }
}

/// CSV and JSON may give the probability of the pair; an empty field means that it is unknown.
/// Duels of an arm with itself are remembered.
#[test]
fn trace_propensities() {
    let csv =
        parse("left,right,outcome,pscore\na,b,left,0.25\na,a,tie,0.5\nb,a,left,\nb,a,tie, 1 \nb,b,tie,\n");
    let of = |votes: &Votes| votes.votes().iter().map(|vote| vote.propensity).collect::<Vec<_>>();
    assert_eq!(of(&csv), [Some(0.25), None, Some(1.0)]);
    assert_eq!((csv.self_duels(), csv.dropped().same_arm), ([1, 3].as_slice(), 2));
    assert_eq!(csv.unused(), [] as [&str; 0]);
    let json =
        parse(r#"{"left":"a","right":"b","outcome":1,"pscore":0.125}{"left":"a","right":"b","outcome":1}"#);
    assert_eq!(of(&json), [Some(0.125), None]);
    for odd in ["0", "-0.5", "1.01", "nan", "often"] {
        let message = message(format!("left,right,outcome,pscore\na,b,left,{odd}\n"));
        assert_eq!(message, format!("line 2, `pscore`: `{odd}` is not a probability in (0, 1]"));
    }
    let message = message(r#"{"left":"a","right":"b","outcome":1,"pscore":2}"#);
    assert_eq!(message, "line 1, `pscore`: `2` is not a probability in (0, 1]");
}
