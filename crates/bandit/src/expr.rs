//! Numbers in the notation of papers: `1/T`, `T/2`, `0.3*K^1.01`.

use core::fmt;
use core::str::FromStr;

/// A number that may depend on the horizon `T`, the number of arms `K` or the current round `t`.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    text: String,
    root: Node,
}

/// The values of the letters. An expression that uses a letter without a value is undefined.
#[derive(Debug, Clone, Copy, Default)]
pub struct Letters {
    /// `K`.
    pub arms: Option<f64>,
    /// `T`.
    pub horizon: Option<f64>,
    /// `t`.
    pub round: Option<f64>,
}

#[derive(Debug, Clone, PartialEq)]
enum Node {
    Number(f64),
    Letter(Letter),
    Call(Function, Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
}

/// A letter of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Letter {
    /// `K`, the number of arms.
    Arms,
    /// `T`, the horizon.
    Horizon,
    /// `t`, the current round.
    Round,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Function {
    Negate,
    Ln,
    Sqrt,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

impl Expr {
    /// Its value.
    ///
    /// # Errors
    ///
    /// A letter that the expression uses and that has no value.
    pub fn value(&self, letters: Letters) -> Result<f64, Letter> {
        self.root.value(letters)
    }

    /// Whether the expression uses a letter.
    pub fn uses(&self, letter: Letter) -> bool {
        self.root.uses(letter)
    }
}

impl Node {
    fn value(&self, letters: Letters) -> Result<f64, Letter> {
        Ok(match self {
            Self::Number(number) => *number,
            Self::Letter(letter) => match letter {
                Letter::Arms => letters.arms,
                Letter::Horizon => letters.horizon,
                Letter::Round => letters.round,
            }
            .ok_or(*letter)?,
            Self::Call(function, argument) => {
                let x = argument.value(letters)?;
                match function {
                    Function::Negate => -x,
                    Function::Ln => libm::log(x),
                    Function::Sqrt => libm::sqrt(x),
                }
            }
            Self::Binary(operator, left, right) => {
                let (x, y) = (left.value(letters)?, right.value(letters)?);
                match operator {
                    Operator::Add => x + y,
                    Operator::Subtract => x - y,
                    Operator::Multiply => x * y,
                    Operator::Divide => x / y,
                    Operator::Power => libm::pow(x, y),
                }
            }
        })
    }

    fn uses(&self, letter: Letter) -> bool {
        match self {
            Self::Number(_) => false,
            Self::Letter(own) => *own == letter,
            Self::Call(_, argument) => argument.uses(letter),
            Self::Binary(_, left, right) => left.uses(letter) || right.uses(letter),
        }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Expr {
    type Err = ExprError;

    fn from_str(text: &str) -> Result<Self, ExprError> {
        if text.len() > LONGEST {
            let start: String = text.chars().take(20).collect();
            return Err(ExprError {
                text: format!("{start}..."),
                rest: format!("length of {} bytes", text.len()),
            });
        }
        let mut parser = Parser { text, at: 0, depth: 0 };
        let root = parser.sum()?;
        if parser.peek().is_some() {
            return Err(parser.error());
        }
        Ok(Self { text: text.trim().to_owned(), root })
    }
}

/// The text is neither a number nor an expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a number or an expression in T, K and t: unexpected `{rest}`")]
pub struct ExprError {
    /// The whole text, or its start if it is too long.
    pub text: String,
    /// The text from the error to the end, or a description of the error.
    pub rest: String,
}

/// The deepest nesting of brackets and signs. Deeper nesting is an attack, not a formula.
const DEPTH: usize = 64;

/// The longest text, in bytes. A chain of n terms is a tree of depth n, and recursion into a deep
/// tree would overflow the stack.
const LONGEST: usize = 500;

/// Recursive descent: sum of products of powers of atoms.
struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.text[self.at..].trim_start()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn error(&self) -> ExprError {
        let rest = if self.rest().is_empty() { "end of the text" } else { self.rest() };
        ExprError { text: self.text.to_owned(), rest: rest.to_owned() }
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at = self.text.len() - self.rest().len() + token.len();
        }
        found
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T, ExprError>) -> Result<T, ExprError> {
        if self.depth == DEPTH {
            return Err(self.error());
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn sum(&mut self) -> Result<Node, ExprError> {
        self.chain(&[("+", Operator::Add), ("-", Operator::Subtract)], Self::product)
    }

    fn product(&mut self) -> Result<Node, ExprError> {
        self.chain(&[("*", Operator::Multiply), ("/", Operator::Divide)], Self::power)
    }

    fn chain(
        &mut self,
        operators: &[(&str, Operator)],
        term: fn(&mut Self) -> Result<Node, ExprError>,
    ) -> Result<Node, ExprError> {
        let mut left = term(self)?;
        while let Some(&(_, operator)) = operators.iter().find(|(token, _)| self.eat(token)) {
            left = Node::Binary(operator, Box::new(left), Box::new(term(self)?));
        }
        Ok(left)
    }

    fn power(&mut self) -> Result<Node, ExprError> {
        let base = self.atom()?;
        if self.eat("^") {
            let exponent = self.deeper(Self::power)?;
            return Ok(Node::Binary(Operator::Power, Box::new(base), Box::new(exponent)));
        }
        Ok(base)
    }

    fn atom(&mut self) -> Result<Node, ExprError> {
        if self.eat("-") {
            let negated = self.deeper(Self::power)?;
            return Ok(Node::Call(Function::Negate, Box::new(negated)));
        }
        for (token, function) in [("ln(", Function::Ln), ("sqrt(", Function::Sqrt)] {
            if self.eat(token) {
                return Ok(Node::Call(function, Box::new(self.closed()?)));
            }
        }
        if self.eat("(") {
            return self.closed();
        }
        for (token, letter) in [("K", Letter::Arms), ("T", Letter::Horizon), ("t", Letter::Round)] {
            if self.eat(token) {
                return Ok(Node::Letter(letter));
            }
        }
        if self.eat("e") {
            return Ok(Node::Number(core::f64::consts::E));
        }
        self.number()
    }

    fn closed(&mut self) -> Result<Node, ExprError> {
        let inner = self.deeper(Self::sum)?;
        if self.eat(")") { Ok(inner) } else { Err(self.error()) }
    }

    fn number(&mut self) -> Result<Node, ExprError> {
        let rest = self.rest();
        let mut end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        // The letter e starts an exponent only if digits follow.
        let tail = &rest[end..];
        if end > 0 && tail.starts_with(['e', 'E']) {
            let sign = usize::from(tail[1..].starts_with(['+', '-']));
            let digits =
                tail[1 + sign..].find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len() - 1 - sign);
            if digits > 0 {
                end += 1 + sign + digits;
            }
        }
        let number = rest[..end].parse().map_err(|_| self.error())?;
        self.at = self.text.len() - rest.len() + end;
        Ok(Node::Number(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(text: &str) -> f64 {
        let letters = Letters { arms: Some(10.0), horizon: Some(1000.0), round: Some(5.0) };
        text.parse::<Expr>().unwrap().value(letters).unwrap()
    }

    #[test]
    fn trace_values() {
        let cases = [
            ("0.05", 0.05),
            ("1e5", 1e5),
            ("1.5e-3", 0.0015),
            ("1/T", 0.001),
            ("T/2", 500.0),
            ("t/2", 2.5),
            ("1/(2*T*K)", 1.0 / 20_000.0),
            ("2^3^2", 512.0),
            ("-2^2", -4.0),
            ("2 - 3 - 4", -5.0),
            ("8/4/2", 1.0),
            ("1+2*3", 7.0),
            ("sqrt(K*T)", 100.0),
            ("ln(e)", 1.0),
            ("e*t/2", core::f64::consts::E * 2.5),
        ];
        for (text, expected) in cases {
            assert!((value(text) - expected).abs() <= 1e-12 * expected.abs(), "{text}: {}", value(text));
        }
    }

    #[test]
    fn trace_missing_letters_are_named() {
        let expr: Expr = "1/T".parse().unwrap();
        assert_eq!(expr.value(Letters::default()), Err(Letter::Horizon));
        assert!(expr.uses(Letter::Horizon) && !expr.uses(Letter::Arms));
    }

    /// A parsed chain is a deep tree, just like nested brackets.
    #[test]
    fn trace_long_chains_are_refused() {
        for operator in ["+", "-", "*", "/", "^"] {
            let chain = |terms: usize| format!("1{}", format!("{operator}1").repeat(terms));
            assert!(chain(20).parse::<Expr>().is_ok());
            let error = chain(100_000).parse::<Expr>().unwrap_err();
            assert_eq!(error.rest, "length of 200001 bytes");
            assert!(error.text.len() < 30);
        }
    }

    #[test]
    fn trace_errors() {
        for text in
            ["", "x", "1/", "(1", "1)", "1 2", "1..2", "--", "ln 2", &"(".repeat(10_000), &"-".repeat(10_000)]
        {
            assert!(text.parse::<Expr>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn law_any_text_parses_or_fails_without_panic(text in "\\PC{0,40}") {
            let _ = text.parse::<Expr>();
        }

        #[test]
        fn law_a_number_means_itself(x in 0.0..1e9f64) {
            prop_assert_eq!(format!("{x}").parse::<Expr>().unwrap().value(Letters::default()), Ok(x));
            prop_assert_eq!(format!("{x:e}").parse::<Expr>().unwrap().value(Letters::default()), Ok(x));
        }
    }
}
