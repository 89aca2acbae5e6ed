use super::*;

#[test]
fn declarative_validation_counts_bytes() {
    let long = "a".repeat(254);
    for (check, max) in
        [(is_long_name as fn(&str) -> Vec<String>, 253), (is_long_name_caseless, 253), (is_short_name, 63)]
    {
        assert_eq!(check(&long), [format!("must be no more than {max} bytes")]);
        assert!(check("a").is_empty());
    }
    assert_eq!(is_dns1123_subdomain(&long), ["must be no more than 253 characters"]);
}

#[test]
fn qualified_names() {
    for name in ["a", "A-b_c.d", "example.com/MyName", "1.2.3.4/5678", &"a".repeat(63)] {
        assert_eq!(is_qualified_name(name), [""; 0], "{name}");
    }
    let rule = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation \
                is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    assert_eq!(
        is_qualified_name("/"),
        [
            "prefix part must be non-empty".to_owned(),
            "name part must be non-empty".to_owned(),
            format!("name part {rule}")
        ]
    );
    assert_eq!(
        is_qualified_name("a/b/c"),
        [format!(
            "a valid label key {rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        )]
    );
    assert_eq!(is_qualified_name(&"a".repeat(64)), ["name part must be no more than 63 bytes"]);
    assert_eq!(
        is_qualified_name(&format!("{}/a", "a".repeat(254))),
        ["prefix part must be no more than 253 bytes"]
    );
}

#[test]
fn dns_names() {
    for label in ["a", "a-1", "0", "1--a--b--2"] {
        assert_eq!(is_dns1123_label(label), [""; 0], "{label}");
        assert_eq!(is_dns1123_subdomain(&format!("{label}.{label}")), [""; 0], "{label}");
    }
    assert_eq!(is_dns1123_label("a.b"), ["must not contain dots"]);
    for name in ["", "A", "-a", "a-", "_", "a..b", ".a", "a.", "é", "a\n"] {
        assert_eq!(is_dns1123_label(name).len(), 1, "{name}");
        assert_eq!(is_dns1123_subdomain(name).len(), 1, "{name}");
    }
    assert_eq!(
        is_dns1123_label(&"A".repeat(64)),
        [
            "must be no more than 63 characters",
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start \
             and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
             '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
        ]
    );
    assert_eq!(is_dns1035_label("a-1"), [""; 0]);
    assert_eq!(is_dns1035_label("1-a").len(), 1);
    assert_eq!(is_wildcard_dns1123_subdomain("*.bar.com"), [""; 0]);
    assert_eq!(is_wildcard_dns1123_subdomain("*.*.bar.com").len(), 1);
    assert_eq!(is_dns1123_subdomain_with_underscore("_a_b._c"), [""; 0]);
    assert_eq!(is_dns1123_subdomain_with_underscore("__a").len(), 1);
}

#[test]
fn ports_keys_and_variables() {
    assert_eq!(is_valid_port_name("http-1"), [""; 0]);
    assert_eq!(
        is_valid_port_name("--"),
        [
            "must contain at least one letter (a-z)",
            "must not contain consecutive hyphens",
            "must not begin or end with a hyphen"
        ]
    );
    assert_eq!(is_valid_port_num(0), ["must be between 1 and 65535, inclusive"]);
    assert_eq!(is_config_map_key("..a"), ["must not start with '..'"]);
    assert_eq!(is_config_map_key("."), ["must not be '.'"]);
    assert_eq!(is_relaxed_env_var_name("a b#!"), [""; 0]);
    assert_eq!(is_relaxed_env_var_name("a=b").len(), 1);
    assert_eq!(is_path_segment_name("a/b%"), ["may not contain '/'", "may not contain '%'"]);
    assert_eq!(
        is_http_path("a b"),
        ["Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"]
    );
}

#[test]
fn something_follows_a_generate_name() {
    assert_eq!(mask_trailing_dash("web-"), "wea");
    assert_eq!(mask_trailing_dash("-"), "-");
    assert_eq!(mask_trailing_dash("web"), "web");
    assert_eq!(mask_trailing_dash("é-"), "é-");
}
