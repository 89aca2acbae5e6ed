//! Values written as JSON in the program.

use serde::Serialize;

use super::{Map, Text, Value, to_value};

/// The wrapper by which [`json!`](crate::json) converts: a value is shared, anything else is written by serde.
#[derive(Debug)]
pub struct Of<'a, T: ?Sized>(pub &'a T);

/// The conversion of values and of what converts into one. It is tried first, as it needs no reference to the [`Of`].
pub trait Shared {
    /// Returns the value.
    fn to_value(&self) -> Value;
}

/// The conversion of everything else that serde can write.
pub trait Written {
    /// Returns the value.
    fn to_value(&self) -> Value;
}

impl<T: Serialize + ?Sized> Written for &Of<'_, T> {
    fn to_value(&self) -> Value {
        to_value(self.0).expect("what a program writes as JSON has text as keys")
    }
}

impl Shared for Of<'_, str> {
    fn to_value(&self) -> Value {
        self.0.into()
    }
}

macro_rules! shared {
    ($($type:ty),*) => {$(
        impl Shared for Of<'_, $type> {
            fn to_value(&self) -> Value {
                self.0.clone().into()
            }
        }

        impl Shared for Of<'_, &$type> {
            fn to_value(&self) -> Value {
                (*self.0).clone().into()
            }
        }
    )*};
}

shared!(Value, Map, Vec<Value>, Option<Value>, Text, &str, String, bool);
shared!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, f32, f64);

/// A [`Value`] written as JSON.
#[macro_export]
macro_rules! json {
    (@list $list:ident) => {};
    (@list $list:ident null $(, $($rest:tt)*)?) => {
        $list.push($crate::value::Value::Null);
        $crate::json!(@list $list $($($rest)*)?);
    };
    (@list $list:ident [$($item:tt)*] $(, $($rest:tt)*)?) => {
        $list.push($crate::json!([$($item)*]));
        $crate::json!(@list $list $($($rest)*)?);
    };
    (@list $list:ident {$($item:tt)*} $(, $($rest:tt)*)?) => {
        $list.push($crate::json!({$($item)*}));
        $crate::json!(@list $list $($($rest)*)?);
    };
    (@list $list:ident $item:expr $(, $($rest:tt)*)?) => {
        $list.push($crate::json!($item));
        $crate::json!(@list $list $($($rest)*)?);
    };

    (@map $map:ident) => {};
    (@map $map:ident $key:tt : null $(, $($rest:tt)*)?) => {
        $map.push(($crate::value::Text::from($key), $crate::value::Value::Null));
        $crate::json!(@map $map $($($rest)*)?);
    };
    (@map $map:ident $key:tt : [$($item:tt)*] $(, $($rest:tt)*)?) => {
        $map.push(($crate::value::Text::from($key), $crate::json!([$($item)*])));
        $crate::json!(@map $map $($($rest)*)?);
    };
    (@map $map:ident $key:tt : {$($item:tt)*} $(, $($rest:tt)*)?) => {
        $map.push(($crate::value::Text::from($key), $crate::json!({$($item)*})));
        $crate::json!(@map $map $($($rest)*)?);
    };
    (@map $map:ident $key:tt : $item:expr $(, $($rest:tt)*)?) => {
        $map.push(($crate::value::Text::from($key), $crate::json!($item)));
        $crate::json!(@map $map $($($rest)*)?);
    };
    (@map $map:ident $($rest:tt)+) => {
        $crate::json!(@key $map [] $($rest)+)
    };
    (@key $map:ident [$($key:tt)+] : $($rest:tt)+) => {
        $crate::json!(@map $map ($($key)+) : $($rest)+)
    };
    (@key $map:ident [$($key:tt)*] $next:tt $($rest:tt)+) => {
        $crate::json!(@key $map [$($key)* $next] $($rest)+)
    };

    (null) => {
        $crate::value::Value::Null
    };
    ([]) => {
        $crate::value::Value::Array($crate::value::List::default())
    };
    ([$($items:tt)+]) => {{
        let mut list = $crate::value::List::default();
        $crate::json!(@list list $($items)+);
        $crate::value::Value::Array(list)
    }};
    ({}) => {
        $crate::value::Value::Object($crate::value::Map::new())
    };
    ({$($entries:tt)+}) => {{
        let mut map = ::std::vec::Vec::from([]);
        $crate::json!(@map map $($entries)+);
        $crate::value::Value::Object($crate::value::Map::from(map))
    }};
    ($value:expr) => {{
        #[allow(unused_imports, reason = "one of them is the way of this value")]
        use $crate::value::{Shared as _, Written as _};
        (&$crate::value::Of(&$value)).to_value()
    }};
}
