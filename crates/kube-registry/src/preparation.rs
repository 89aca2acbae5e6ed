//! The preparation of objects before they are stored.
