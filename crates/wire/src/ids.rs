//! The schemas of ids in the OpenAPI document. In JSON, an id is a string.

use std::borrow::Cow;

use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::{ObjectBuilder, RefOr, Required, Schema, Type};
use utoipa::{IntoParams, PartialSchema, ToSchema};

macro_rules! ids {
    ($($id:ident as $parameter:literal, $pattern:literal, $description:literal;)*) => {$(
        #[doc = $description]
        #[derive(Debug)]
        pub enum $id {}

        impl PartialSchema for $id {
            fn schema() -> RefOr<Schema> {
                ObjectBuilder::new()
                    .schema_type(Type::String)
                    .pattern(Some($pattern))
                    .description(Some($description))
                    .into()
            }
        }

        impl ToSchema for $id {
            fn name() -> Cow<'static, str> {
                stringify!($id).into()
            }
        }

        /// The id as a parameter of a path.
        impl IntoParams for $id {
            fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
                let parameter = ParameterBuilder::new()
                    .name($parameter)
                    .parameter_in(ParameterIn::Path)
                    .required(Required::True)
                    .description(Some($description))
                    .schema(Some($id::schema()));
                vec![parameter.build()]
            }
        }
    )*};
}

// Crockford's base 32. Thirteen digits of five bits have one bit more than a 64-bit number, so that
// its first digit is below 16, or below 8 if the number's highest bit is 0.
ids! {
    ExperimentId as "experiment", "^[0-7][0-9a-hjkmnp-tv-z]{12}$", "The id of an experiment";
    DuelId as "duel", "^[0-7][0-9a-hjkmnp-tv-z]{12}-[1-9a-hjkmnp-tv-z][0-9a-hjkmnp-tv-z]{0,11}-[0-9a-f][0-9a-hjkmnp-tv-z]{12}$",
        "The id of a duel";
    KeyId as "key_id", "^[0-7][0-9a-hjkmnp-tv-z]{12}$", "The id of a key";
}
