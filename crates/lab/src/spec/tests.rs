use super::*;

/// The shortest valid specification, with more lines before its tables.
fn with(lines: &str) -> String {
    format!(
        "runs = 2\nhorizon = 1e3\n{lines}\n[[world]]\nworld = \"arxiv6\"\n[[policy]]\npolicy = \"rex3\"\n"
    )
}

fn message(text: &str) -> String {
    Specification::parse("a.toml", text).unwrap_err().to_string()
}

#[test]
fn trace_defaults() {
    let spec = Specification::parse("a.toml", &with("")).unwrap();
    assert_eq!((spec.runs, spec.runs_fixed_horizon, spec.horizon, spec.seed), (2, 2, 1000, 1));
    assert!(spec.permute && spec.regret.is_none());
    assert_eq!((spec.checkpoints, spec.horizons), (Rounds::CHECKPOINTS, Rounds::HORIZONS));
    assert_eq!(spec.title, "a.toml");
    assert_eq!(spec.policies[0].label, "rex3");
}

#[test]
fn trace_a_grid_is_written_out() {
    let text = "runs = 1\nhorizon = 10\n[[world]]\nworld = \"arxiv6\"\n[[policy]]\npolicy = \"rex3:guard=false\"\nlabel = \"R\"\n\
                grid = { gamma = [0.1, 0.2], a = [\"x\", 1e-3] }\n";
    let spec = Specification::parse("a.toml", text).unwrap();
    let got: Vec<_> = spec.policies.iter().map(|policy| policy.spec.to_string()).collect();
    assert_eq!(
        got,
        [
            "rex3:guard=false,a=x,gamma=0.1",
            "rex3:guard=false,a=x,gamma=0.2",
            "rex3:guard=false,a=0.001,gamma=0.1",
            "rex3:guard=false,a=0.001,gamma=0.2",
        ]
    );
    assert_eq!(spec.policies[3].label, "R, a = 0.001, gamma = 0.2");
    assert_eq!(spec.policies[3].swept, [("a".into(), "0.001".into()), ("gamma".into(), "0.2".into())]);
}

#[test]
fn trace_every_error_names_line_and_field() {
    let cases = [
        (
            with("seed = -1"),
            "a.toml: line 3: `seed`: invalid value: integer `-1`, expected a whole number of at least 0, such as 100000 or 1e5",
        ),
        (
            with("runs_fixed_horizon = 0"),
            "a.toml: line 3: `runs_fixed_horizon`: invalid value: integer `0`, expected a whole number of at least 1, such as 100000 or 1e5",
        ),
        (
            with("seed = 1.5"),
            "a.toml: line 3: `seed`: invalid value: floating point `1.5`, expected a whole number of at least 0, such as 100000 or 1e5",
        ),
        (
            with("seed = \"one\""),
            "a.toml: line 3: `seed`: invalid type: string \"one\", expected a whole number of at least 0, such as 100000 or 1e5",
        ),
        (
            with("regret = \"condrcet\""),
            "a.toml: line 3: `regret`: there is no regret `condrcet`; it is one of condorcet, weak, strong, binary-weak, binary-strong, bandit, borda, copeland, copeland-full, each also as dynamic-...",
        ),
        (
            with("checkpoints = [10, 5]"),
            "a.toml: line 3: `checkpoints`: rounds must be in rising order, and there must be at least one",
        ),
        (
            with("checkpoints = [10, 1e4]"),
            "a.toml: line 3: `checkpoints`: round 10000 is beyond the horizon of 1000",
        ),
        (with("horizons = { from = 1e3 }"), "a.toml: line 3: missing field `per_decade`"),
        (
            with("horizons = { from = 1e3, per_decade = 1e9 }"),
            "a.toml: line 3: `horizons`: at most 1000 rounds in a decade",
        ),
        (
            with("horizons = 5"),
            "a.toml: line 3: `horizons`: invalid type: integer `5`, expected a list of rounds, or { from = 100, per_decade = 10 }",
        ),
        (
            "runs = 1\nhorizon = 10\n[[world]]\nworld = \"arxiv6\"\n".into(),
            "a.toml: there must be at least one [[policy]]",
        ),
        (
            "runs = 1\nhorizon = 10\n[[policy]]\npolicy = \"rex3\"\n".into(),
            "a.toml: there must be at least one [[world]]",
        ),
        (
            with("") + "[[policy]]\npolicy = \"rex3\"\n",
            "a.toml: line 9: `policy.policy`: `rex3` is listed twice",
        ),
        (
            with("") + "[[policy]]\npolicy = \"rex3:gamma\"\n",
            "a.toml: line 9: `policy.policy`: `gamma` in `rex3:gamma` is not of the form `key=value`",
        ),
        (with("") + "grid = { gamma = [] }\n", "a.toml: line 8: `grid`: a grid needs at least one value"),
        (
            with("") + "[[policy]]\npolicy = \"rex3:gamma=1\"\ngrid.gamma = [1]\n",
            "a.toml: line 10: `policy.grid`: `gamma` is given twice in `rex3:gamma=1,gamma=1`",
        ),
        (
            with("") + "[[world]]\nlabel = \"x\"\n",
            "a.toml: line 8: `world`: a [[world]] has either `world` or `data`",
        ),
        (
            with("") + "[[world]]\nworld = \"x\"\notherwise = \"y\"\n",
            "a.toml: line 10: `world.otherwise`: requires `data`",
        ),
        (
            with("") + "[[world]]\ndata = \"x\"\notherwise_arms = 5\n",
            "a.toml: line 10: `world.otherwise_arms`: requires `otherwise`",
        ),
        (
            with("") + "[[world]]\ndata = \"x\"\notherwise = \"y\"\narms = [5]\notherwise_arms = 5\n",
            "a.toml: line 12: `world.otherwise_arms`: cannot be combined with `arms`",
        ),
        (
            with("") + "[[world]]\nworld = \"x\"\ndraw = \"first\"\n",
            "a.toml: line 10: `world.draw`: requires `arms`",
        ),
        (
            with("") + "[[world]]\nworld = \"x\"\narms = [2]\ndraw = \"last\"\n",
            "a.toml: line 11: `draw`: unknown variant `last`, expected `random` or `first`",
        ),
        (
            with("") + "[[world]]\nworld = \"x\"\nname = \"n\"\narms = [2, 3]\n",
            "a.toml: line 10: `world.name`: several worlds cannot share one name: leave out `name`, or ask for one number of arms",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(message(&text), expected, "\n{text}");
    }
    let unknown = message(&with("horizn = 5"));
    assert!(
        unknown.starts_with("a.toml: line 3: unknown field `horizn`, expected one of `title`, `seed`"),
        "{unknown}"
    );
    let missing = message("runs = 1\n");
    assert!(missing.contains("missing field `horizon`"), "{missing}");
    let syntax = message("runs = \n");
    assert!(syntax.starts_with("a.toml: line 1: "), "{syntax}");
}

/// The page that describes specifications.
const PAGE: &str = include_str!("../../../../docs/specification.md");

#[test]
fn trace_the_example_of_the_page_can_be_run() {
    let example = PAGE.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let specification = Specification::parse("page", example).unwrap();
    let experiment = crate::engine::runner::Experiment::new(&specification, None).unwrap();
    let worlds: Vec<_> = experiment.plan.worlds.iter().map(|world| world.name.as_str()).collect();
    assert_eq!(
        worlds,
        ["arxiv6", "savage30", "savage30 [random 4]", "savage30 [random 8]", "savage30 [random 16]"]
    );
    assert_eq!(experiment.plan.worlds[1].label, "SAVAGE-30, in place of MSLR");
    assert_eq!((experiment.plan.policies.len(), experiment.plan.cells.len()), (18, 5 * 18));
    let btm = &experiment.plan.cells[17];
    assert_eq!((btm.fixed_horizon, btm.runs), (true, 50));
    assert_eq!(btm.checkpoints, [1000, 3162, 10_000, 31_623, 100_000]);
}

/// The parser lists the known fields when it meets an unknown one.
#[test]
fn law_the_page_describes_every_field() {
    let unknown = "unknown_field = 1";
    for text in
        [with(unknown), with("") + unknown, with("").replace("[[policy]]", &format!("{unknown}\n[[policy]]"))]
    {
        let message = message(&text);
        let fields: Vec<_> =
            message.split('`').skip(1).step_by(2).filter(|field| *field != "unknown_field").collect();
        assert!(fields.len() >= 3, "{message}");
        for field in fields {
            let described =
                PAGE.contains(&format!("| `{field}` |")) || PAGE.contains(&format!("| `[[{field}]]` |"));
            assert!(described, "docs/specification.md does not describe `{field}`");
        }
    }
}
