//! What the server fills in before an object is stored.
