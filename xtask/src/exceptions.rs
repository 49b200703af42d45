//! Generates the exceptions of the Python package from the error enums of the engine: one class per
//! variant, and the Rust code that raises it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use syn::{Attribute, Expr, Fields, GenericArgument, Item, Lit, Meta, PathArguments, Type, Variant};
use xshell::{Shell, cmd};

use crate::root;

/// An error of the engine that can reach Python.
struct Source {
    /// Its path in Rust.
    path: &'static str,
    /// The prefix of the classes of its variants. The class of the error itself has the error's
    /// name.
    prefix: &'static str,
    /// The base classes of its class.
    bases: &'static str,
    /// Variants that have their own class although they contain another of these errors.
    opaque: &'static [&'static str],
}

const fn value(path: &'static str, prefix: &'static str) -> Source {
    Source { path, prefix, bases: "TiltyardError, ValueError", opaque: &[] }
}

const fn runtime(path: &'static str, prefix: &'static str) -> Source {
    Source { bases: "TiltyardError, RuntimeError", ..value(path, prefix) }
}

/// In the order of the generated file.
const SOURCES: &[Source] = &[
    value("tiltyard_bandit::spec::SpecError", "Spec"),
    value("tiltyard_bandit::params::ParamError", "Param"),
    value("tiltyard_bandit::policy::registry::BuildError", "Build"),
    value("tiltyard_bandit::TicketError", "Ticket"),
    value("tiltyard_bandit::OutcomeError", ""),
    runtime("tiltyard_bandit::policy::InFlight", ""),
    value("tiltyard_bandit::policy::NoLesson", "Lesson"),
    value("tiltyard_bandit::policy::UpdateError", "Update"),
    value("tiltyard_bandit::policy::RestoreError", "Restore"),
    value("tiltyard_bandit::matrix::MatrixError", "Matrix"),
    value("tiltyard_bandit::matrix::SubmatrixError", "Submatrix"),
    value("tiltyard_interleave::InterleavingError", "Interleaving"),
    Source { opaque: &["Matrix"], ..value("tiltyard_world::matrix_file::ParseMatrixError", "ParseMatrix") },
    value("tiltyard_world::matrix_file::ReadMatrixError", "ReadMatrix"),
    value("tiltyard_world::UnknownRegret", ""),
    value("tiltyard_world::RegretError", "Regret"),
    value("tiltyard_world::click::ClickError", "Click"),
    value("tiltyard_world::builtin::WorldError", "World"),
    value("tiltyard_lab::runner::PrepareError", "Prepare"),
    value("tiltyard_lab::play::EntryError", "Entry"),
    value("tiltyard_lab::play::PlayError", "Play"),
    value("tiltyard_lab::session::SessionError", "Session"),
    runtime("tiltyard_lab::runner::JournalError", "Journal"),
    runtime("tiltyard_lab::results::ResultsError", "Results"),
    runtime("tiltyard_lab::runner::RunError", "Run"),
    runtime("tiltyard_lab::merge::MergeError", "Merge"),
    value("tiltyard_lab::spec::SpecificationError", ""),
    Source {
        bases: "",
        opaque: &["Regret", "PolicyText", "World", "Policy"],
        ..value("tiltyard_lab::spec::Problem", "Specification")
    },
];

const PYTHON: &str = "\
\"\"\"Errors of the engine: one class per variant.

Written by `cargo xtask docs` from the enums of the Rust library.
\"\"\"

from __future__ import annotations

from typing import TYPE_CHECKING

from tiltyard.errors.base import TiltyardError

if TYPE_CHECKING:
    from tiltyard._native import Ticket
";

const RUST: &str = "\
//! Written by `cargo xtask docs` from the errors of the engine.

use super::{Explain, Raised};
";

/// Both files: the classes, and the code that raises them.
pub(crate) fn files(sh: &Shell) -> Result<Vec<(&'static str, String)>> {
    let (mut classes, mut raising, mut names) = (String::new(), RUST.to_owned(), Vec::new());
    for source in SOURCES {
        let mut written = Writer { source, classes: &mut classes, names: &mut names };
        let body = match source.find()? {
            Item::Struct(found) => written.structure(&found.attrs, &found.fields),
            Item::Enum(found) => written.enumeration(&found.attrs, found.variants.iter()),
            _ => unreachable!("`find` finds nothing else"),
        };
        write!(
            raising,
            "\nimpl Explain for {} {{ fn explain(&self) -> Raised {{ {body} }} }}\n",
            source.path
        )?;
    }
    names.sort();
    let all = names.iter().map(|name| format!("    \"{name}\",\n")).collect::<Vec<_>>().concat();
    let python = format!("{PYTHON}\n__all__ = [\n{all}]\n{classes}");
    let rust = cmd!(sh, "rustfmt --edition 2024").stdin(raising).quiet().read()? + "\n";
    Ok(vec![("python/package/tiltyard/errors/engine.py", python), ("python/src/error/engine.rs", rust)])
}

impl Source {
    fn name(&self) -> &'static str {
        self.path.rsplit("::").next().unwrap_or_default()
    }

    /// Searches the files of its crate for the definition.
    fn find(&self) -> Result<Item> {
        let package = self.path.split("::").next().unwrap_or_default();
        let folder = root().join("crates").join(package.trim_start_matches("tiltyard_")).join("src");
        find(&folder, self.name())?.with_context(|| format!("`{}` does not exist", self.path))
    }
}

fn find(folder: &Path, name: &str) -> Result<Option<Item>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if let Some(found) = find(&path, name)? {
                return Ok(Some(found));
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)?;
            if ["enum", "struct"].iter().any(|kind| text.contains(&format!("pub {kind} {name} "))) {
                let named = |item: &Item| match item {
                    Item::Enum(item) => item.ident == name,
                    Item::Struct(item) => item.ident == name,
                    _ => false,
                };
                return Ok(syn::parse_file(&text)?.items.into_iter().find(named));
            }
        }
    }
    Ok(None)
}

/// Writes the classes of one error, and returns the code that raises them.
struct Writer<'a> {
    source: &'a Source,
    classes: &'a mut String,
    names: &'a mut Vec<String>,
}

impl Writer<'_> {
    fn structure(&mut self, attributes: &[Attribute], fields: &Fields) -> String {
        let fields = Facts::of(fields, true);
        self.class(self.source.name(), self.source.bases, attributes, &fields);
        let begin = match &fields.nested {
            Some(nested) => format!("self.{nested}.explain()"),
            None => format!("Raised::of(\"{}\")", self.source.name()),
        };
        fields.known.iter().fold(begin, |code, (name, _)| code + &format!(".with(\"{name}\", &self.{name})"))
    }

    fn enumeration<'v>(
        &mut self,
        attributes: &[Attribute],
        variants: impl Iterator<Item = &'v Variant>,
    ) -> String {
        let Source { prefix, bases, opaque, .. } = self.source;
        // An error without bases is part of another error and has no class.
        let kind = if bases.is_empty() { format!("{prefix}Error") } else { self.source.name().to_owned() };
        if !bases.is_empty() {
            self.class(&kind, bases, attributes, &Facts::default());
        }
        let mut arms = Vec::new();
        for variant in variants {
            let variant_name = variant.ident.to_string();
            let facts = Facts::of(&variant.fields, !opaque.contains(&variant_name.as_str()));
            let class = format!("{prefix}{variant_name}");
            let begin = if let Some(nested) = &facts.nested {
                format!("{nested}.explain()")
            } else {
                let bases = if facts.is_io { format!("{kind}, OSError") } else { kind.clone() };
                self.class(&class, &bases, &variant.attrs, &facts);
                format!("Raised::of(\"{class}\")")
            };
            let names = facts.nested.iter().chain(facts.known.iter().map(|(name, _)| name));
            let names = names.map(|name| format!("{name}, ")).collect::<Vec<_>>().concat();
            let pattern = match &variant.fields {
                Fields::Unit => String::new(),
                Fields::Unnamed(_) if facts.nested.is_some() => "(error)".to_owned(),
                Fields::Unnamed(_) => "(..)".to_owned(),
                Fields::Named(all) => {
                    let rest = if names.matches(',').count() < all.named.len() { ".." } else { "" };
                    format!(" {{ {names}{rest} }}")
                }
            };
            let with = facts.known.iter().map(|(name, _)| format!(".with(\"{name}\", {name})"));
            arms.push(format!("Self::{variant_name}{pattern} => {begin}{},", with.collect::<String>()));
        }
        let arms = arms.join("\n");
        format!("match self {{ {arms} _ => Raised::of(\"{kind}\") }}")
    }

    fn class(&mut self, name: &str, bases: &str, attributes: &[Attribute], facts: &Facts) {
        let head = format!("\n\nclass {name}({bases}):\n    \"\"\"{}\"\"\"\n", documentation(attributes));
        self.classes.push_str(&head);
        let fields = facts.known.iter().map(|(field, kind)| format!("    {field}: {kind}\n"));
        let blank = (!facts.known.is_empty()).then(|| "\n".to_owned());
        self.classes.extend(blank.into_iter().chain(fields));
        self.names.push(name.to_owned());
    }
}

/// The fields of a variant or structure that Python can use.
#[derive(Default)]
struct Facts {
    /// Names and Python types.
    known: Vec<(String, String)>,
    /// The field with another error, whose class is used instead.
    nested: Option<String>,
    /// Whether an I/O error is the cause.
    is_io: bool,
}

impl Facts {
    fn of(fields: &Fields, with_nested: bool) -> Self {
        let mut facts = Self::default();
        for field in fields {
            let name = field.ident.as_ref().map_or_else(|| "error".to_owned(), ToString::to_string);
            match python_type(&field.ty) {
                Ok(kind) if field.ident.is_some() => facts.known.push((name, kind)),
                Ok(_) => {}
                Err(error) if error == "Error" => facts.is_io = true,
                Err(error) => {
                    let has_class = SOURCES.iter().any(|source| source.name() == error);
                    facts.nested = facts.nested.or((with_nested && has_class).then_some(name));
                }
            }
        }
        facts
    }
}

/// The Python type of a field, or `Err` with the name of the error that the field is. Other types
/// of this workspace become text.
fn python_type(of: &Type) -> Result<String, String> {
    let segment = match of {
        Type::Reference(reference) => return python_type(&reference.elem),
        Type::Path(path) => path.path.segments.last().expect("a path has segments"),
        _ => return Ok("str".to_owned()),
    };
    let inner = || match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
            Some(GenericArgument::Type(inner)) => python_type(inner),
            _ => Ok("str".to_owned()),
        },
        _ => Ok("str".to_owned()),
    };
    Ok(match segment.ident.to_string().as_str() {
        "usize" | "u64" | "u32" | "u8" | "Arm" => "int".to_owned(),
        "f64" => "float".to_owned(),
        "Ticket" => "Ticket".to_owned(),
        "Option" => format!("{} | None", inner()?),
        "Vec" => format!("list[{}]", inner()?),
        "Box" => inner()?,
        error if error.ends_with("Error") || SOURCES.iter().any(|source| source.name() == error) => {
            return Err(error.to_owned());
        }
        _ => "str".to_owned(),
    })
}

/// The documentation of an item as a docstring.
fn documentation(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => match &meta.value {
            Expr::Lit(text) => match &text.lit {
                Lit::Str(text) => Some(text.value().trim().replace("[`", "`").replace("`]", "`")),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    let text = lines.collect::<Vec<_>>().join("\n    ").replace("    \n", "\n");
    if text.contains('\n') { text + "\n    " } else { text }
}
