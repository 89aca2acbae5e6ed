//! The rules of validation in which releases differ, by name.

/// Defines [`Rule`] and the list of all rules.
macro_rules! rules {
    ($($(#[doc = $doc:literal])* $name:ident,)*) => {
        /// A rule in which releases differ. What an older one has instead of its errors is in a table of the registry.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[doc = $doc])* $name,)*
        }

        impl Rule {
            /// Every rule.
            pub const ALL: &[Self] = &[$(Self::$name,)*];
        }
    };
}

rules! {
    /// A resource has a name of a known form.
    ResourceName,
    /// The Service of a webhook has a name.
    NameOfService,
    /// The Service of a webhook has a namespace.
    NamespaceOfService,
    /// The parameters of a class of Ingresses have a name.
    NameOfParameters,
    /// The parameters of a class of Ingresses have a kind.
    KindOfParameters,
    /// The operating system has a name.
    NameOfOperatingSystem,
    /// A request for a certificate says what it is for.
    Usages,
    /// A request for a certificate names a signer.
    SignerName,
    /// The message of a rule is not blank.
    MessageOfRule,
    /// The message of a rule is one line.
    LineOfMessage,
    /// The field of a rule is not blank.
    FieldOfRule,
    /// The field of a rule is written on one line.
    LineOfField,
    /// The field of a rule exists.
    PathOfField,
    /// A range of sources is a CIDR.
    SourceRange,
    /// A range of addresses of Pods is a CIDR.
    PodRange,
    /// A toleration has no value if it tolerates any.
    ValueOfToleration,
    /// A toleration has a known operator.
    OperatorOfToleration,
    /// A scope is compared by whether it exists.
    OperatorOfScope,
    /// A sleep is shorter than the grace period.
    Sleep,
    /// An alias of a host has a valid address and valid names.
    HostAlias,
    /// A source of a projected volume is of one kind.
    KindsOfSource,
    /// The URL of a webhook has a host.
    HostOfUrl,
    /// A driver of volumes has a name.
    NameOfDriver,
    /// An access mode is known.
    AccessMode,
    /// The selector of an aggregated role is valid.
    AggregatedSelector,
    /// A reference to an owner names it whole.
    Owner,
    /// Managed fields name a known operation.
    OperationOfFields,
    /// A condition has a type.
    TypeOfCondition,
    /// A condition has a status.
    StatusOfCondition,
    /// Conditions have different types.
    RepeatedCondition,
    /// An expression of a definition is true.
    Expression,
}
