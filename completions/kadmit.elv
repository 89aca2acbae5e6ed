
use builtin;
use str;

set edit:completion:arg-completer[kadmit] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'kadmit'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'kadmit'= {
            cand --color 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand run 'Evaluate manifests against the admission chain'
            cand diff 'Show what a change of manifests changes in outcomes'
            cand compare 'Show what a change of the server changes in outcomes, before it is made'
            cand test 'Run suites of requests with the answers that are expected'
            cand plugins 'List the admission plugins of a release'
            cand explain 'Explain what an admission plugin does'
            cand config 'Check or show the configuration of the API server'
            cand fixtures 'Print the kubectl command that collects what the chain reads'
            cand completions 'Print the completions of a shell'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'kadmit;run'= {
            cand -o 'Report in this format, to the file behind a = or else to standard output (may be repeated) [default: text]'
            cand --output 'Report in this format, to the file behind a = or else to standard output (may be repeated) [default: text]'
            cand --settings 'Take the defaults of flags from this file [default: the nearest kadmit.toml]'
            cand --baseline 'Let what is denied or warned of be no failure if it is in this file'
            cand --fail-on 'Fail also when this happens; what is denied always fails (may be repeated)'
            cand --cluster 'Let the objects in this file, directory or pattern exist (may be repeated)'
            cand --order 'Evaluate the documents in this order'
            cand --operation 'What to do with every document that is no AdmissionReview [default: create, or update what exists]'
            cand --workloads 'Make the requests that controllers make because of an admitted workload, such as its Pods [default: follow, with --strict ignore]'
            cand --rate 'Let this many requests come in a second, for limits on their rate [default: all at once]'
            cand --kube-apiserver 'Take the flags of the server that this static Pod, systemd unit or list of flags starts'
            cand --root 'Look for the files that --kube-apiserver names below this directory'
            cand --kubernetes-version 'Be the server of this release of Kubernetes, from 1.10 on [default: 1.36]'
            cand --distribution 'Be the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]'
            cand --openshift-config 'Read the KubeAPIServerConfig of OpenShift''s kube-apiserver from this file'
            cand --openshift-apiserver-config 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file'
            cand --master-config 'Read the MasterConfig of an Origin master from this file'
            cand --admission-control-config-file 'Read the AdmissionConfiguration of the plugins from this file'
            cand --enable-admission-plugins 'Enable these plugins in addition to the default ones'
            cand --disable-admission-plugins 'Disable these plugins although they are on by default'
            cand --admission-control 'Enable exactly these plugins'
            cand --feature-gates 'Set feature gates, such as A=true,B=false'
            cand --emulated-version 'Behave as this release, such as 1.35'
            cand --runtime-config 'Serve APIs or not, such as scheduling.k8s.io/v1alpha2=true'
            cand --authorization-mode 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]'
            cand --default-not-ready-toleration-seconds 'Tolerate not-ready nodes this long by default [default: 300]'
            cand --default-unreachable-toleration-seconds 'Tolerate unreachable nodes this long by default [default: 300]'
            cand -n 'Put documents that name no namespace into this one'
            cand --namespace 'Put documents that name no namespace into this one'
            cand --as 'Make the requests as this user'
            cand --as-group 'Make the requests as a member of this group (may be repeated) [default: system:masters for kubernetes-admin]'
            cand --as-uid 'Make the requests as the user with this UID'
            cand --field-validation 'Treat unknown and repeated fields like this'
            cand --color 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured'
            cand -q 'Print only what is refused'
            cand --quiet 'Print only what is refused'
            cand -v 'Print also what did nothing, or comes to nothing because the object is refused'
            cand --verbose 'Print also what did nothing, or comes to nothing because the object is refused'
            cand --no-diff 'Do not print changes line by line'
            cand --no-settings 'Take no settings from a file'
            cand --update-baseline 'Write what is denied and warned of into the file of --baseline, and fail for none of it'
            cand --allow-empty 'Succeed when there is nothing to evaluate'
            cand --exit-zero 'Succeed whatever is denied, if nothing is wrong with the input'
            cand -w 'Do it again whenever one of the files changes that are read, until it is interrupted'
            cand --watch 'Do it again whenever one of the files changes that are read, until it is interrupted'
            cand --ignore-unknown-kinds 'Leave out objects of kinds that nobody defines, with a note'
            cand --ignore-non-manifests 'Leave out files and documents that are no manifests, with a note'
            cand --strict 'Take nothing for granted: no namespace is assumed and no controller played'
            cand --dry-run 'Evaluate every request alone: nothing that is admitted exists for the others'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kadmit;diff'= {
            cand -o 'Report in this format'
            cand --output 'Report in this format'
            cand --cluster 'Let the objects in this file, directory or pattern exist (may be repeated)'
            cand --order 'Evaluate the documents in this order'
            cand --operation 'What to do with every document that is no AdmissionReview [default: create, or update what exists]'
            cand --workloads 'Make the requests that controllers make because of an admitted workload, such as its Pods [default: follow, with --strict ignore]'
            cand --rate 'Let this many requests come in a second, for limits on their rate [default: all at once]'
            cand --kube-apiserver 'Take the flags of the server that this static Pod, systemd unit or list of flags starts'
            cand --root 'Look for the files that --kube-apiserver names below this directory'
            cand --kubernetes-version 'Be the server of this release of Kubernetes, from 1.10 on [default: 1.36]'
            cand --distribution 'Be the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]'
            cand --openshift-config 'Read the KubeAPIServerConfig of OpenShift''s kube-apiserver from this file'
            cand --openshift-apiserver-config 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file'
            cand --master-config 'Read the MasterConfig of an Origin master from this file'
            cand --admission-control-config-file 'Read the AdmissionConfiguration of the plugins from this file'
            cand --enable-admission-plugins 'Enable these plugins in addition to the default ones'
            cand --disable-admission-plugins 'Disable these plugins although they are on by default'
            cand --admission-control 'Enable exactly these plugins'
            cand --feature-gates 'Set feature gates, such as A=true,B=false'
            cand --emulated-version 'Behave as this release, such as 1.35'
            cand --runtime-config 'Serve APIs or not, such as scheduling.k8s.io/v1alpha2=true'
            cand --authorization-mode 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]'
            cand --default-not-ready-toleration-seconds 'Tolerate not-ready nodes this long by default [default: 300]'
            cand --default-unreachable-toleration-seconds 'Tolerate unreachable nodes this long by default [default: 300]'
            cand -n 'Put documents that name no namespace into this one'
            cand --namespace 'Put documents that name no namespace into this one'
            cand --as 'Make the requests as this user'
            cand --as-group 'Make the requests as a member of this group (may be repeated) [default: system:masters for kubernetes-admin]'
            cand --as-uid 'Make the requests as the user with this UID'
            cand --field-validation 'Treat unknown and repeated fields like this'
            cand --color 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured'
            cand --no-diff 'Do not print line by line how stored objects differ'
            cand --ignore-unknown-kinds 'Leave out objects of kinds that nobody defines, with a note'
            cand --ignore-non-manifests 'Leave out files and documents that are no manifests, with a note'
            cand --strict 'Take nothing for granted: no namespace is assumed and no controller played'
            cand --dry-run 'Evaluate every request alone: nothing that is admitted exists for the others'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kadmit;compare'= {
            cand --before 'Let the server be like this before the change (may be repeated)'
            cand --after 'Let the server be like this after the change (may be repeated)'
            cand -o 'Report in this format'
            cand --output 'Report in this format'
            cand --examples 'Print at most this many examples of what happens in a namespace'
            cand --cluster 'Let the objects in this file, directory or pattern exist (may be repeated)'
            cand --order 'Evaluate the documents in this order'
            cand --operation 'What to do with every document that is no AdmissionReview [default: create, or update what exists]'
            cand --workloads 'Make the requests that controllers make because of an admitted workload, such as its Pods [default: follow, with --strict ignore]'
            cand --rate 'Let this many requests come in a second, for limits on their rate [default: all at once]'
            cand --kube-apiserver 'Take the flags of the server that this static Pod, systemd unit or list of flags starts'
            cand --root 'Look for the files that --kube-apiserver names below this directory'
            cand --kubernetes-version 'Be the server of this release of Kubernetes, from 1.10 on [default: 1.36]'
            cand --distribution 'Be the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]'
            cand --openshift-config 'Read the KubeAPIServerConfig of OpenShift''s kube-apiserver from this file'
            cand --openshift-apiserver-config 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file'
            cand --master-config 'Read the MasterConfig of an Origin master from this file'
            cand --admission-control-config-file 'Read the AdmissionConfiguration of the plugins from this file'
            cand --enable-admission-plugins 'Enable these plugins in addition to the default ones'
            cand --disable-admission-plugins 'Disable these plugins although they are on by default'
            cand --admission-control 'Enable exactly these plugins'
            cand --feature-gates 'Set feature gates, such as A=true,B=false'
            cand --emulated-version 'Behave as this release, such as 1.35'
            cand --runtime-config 'Serve APIs or not, such as scheduling.k8s.io/v1alpha2=true'
            cand --authorization-mode 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]'
            cand --default-not-ready-toleration-seconds 'Tolerate not-ready nodes this long by default [default: 300]'
            cand --default-unreachable-toleration-seconds 'Tolerate unreachable nodes this long by default [default: 300]'
            cand -n 'Put documents that name no namespace into this one'
            cand --namespace 'Put documents that name no namespace into this one'
            cand --as 'Make the requests as this user'
            cand --as-group 'Make the requests as a member of this group (may be repeated) [default: system:masters for kubernetes-admin]'
            cand --as-uid 'Make the requests as the user with this UID'
            cand --field-validation 'Treat unknown and repeated fields like this'
            cand --color 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured'
            cand --ignore-unknown-kinds 'Leave out objects of kinds that nobody defines, with a note'
            cand --ignore-non-manifests 'Leave out files and documents that are no manifests, with a note'
            cand --strict 'Take nothing for granted: no namespace is assumed and no controller played'
            cand --dry-run 'Evaluate every request alone: nothing that is admitted exists for the others'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kadmit;test'= {
            cand --filter 'Run only the cases whose names contain this'
            cand -o 'Report in this format, to the file behind a = or else to standard output (may be repeated) [default: text]'
            cand --output 'Report in this format, to the file behind a = or else to standard output (may be repeated) [default: text]'
            cand --init 'Make a suite in this directory in which everything is as it is'
            cand --cluster 'Let the objects in this file, directory or pattern exist (may be repeated)'
            cand --order 'Evaluate the documents in this order'
            cand --operation 'What to do with every document that is no AdmissionReview [default: create, or update what exists]'
            cand --workloads 'Make the requests that controllers make because of an admitted workload, such as its Pods [default: follow, with --strict ignore]'
            cand --rate 'Let this many requests come in a second, for limits on their rate [default: all at once]'
            cand --kube-apiserver 'Take the flags of the server that this static Pod, systemd unit or list of flags starts'
            cand --root 'Look for the files that --kube-apiserver names below this directory'
            cand --kubernetes-version 'Be the server of this release of Kubernetes, from 1.10 on [default: 1.36]'
            cand --distribution 'Be the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]'
            cand --openshift-config 'Read the KubeAPIServerConfig of OpenShift''s kube-apiserver from this file'
            cand --openshift-apiserver-config 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file'
            cand --master-config 'Read the MasterConfig of an Origin master from this file'
            cand --admission-control-config-file 'Read the AdmissionConfiguration of the plugins from this file'
            cand --enable-admission-plugins 'Enable these plugins in addition to the default ones'
            cand --disable-admission-plugins 'Disable these plugins although they are on by default'
            cand --admission-control 'Enable exactly these plugins'
            cand --feature-gates 'Set feature gates, such as A=true,B=false'
            cand --emulated-version 'Behave as this release, such as 1.35'
            cand --runtime-config 'Serve APIs or not, such as scheduling.k8s.io/v1alpha2=true'
            cand --authorization-mode 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]'
            cand --default-not-ready-toleration-seconds 'Tolerate not-ready nodes this long by default [default: 300]'
            cand --default-unreachable-toleration-seconds 'Tolerate unreachable nodes this long by default [default: 300]'
            cand -n 'Put documents that name no namespace into this one'
            cand --namespace 'Put documents that name no namespace into this one'
            cand --as 'Make the requests as this user'
            cand --as-group 'Make the requests as a member of this group (may be repeated) [default: system:masters for kubernetes-admin]'
            cand --as-uid 'Make the requests as the user with this UID'
            cand --field-validation 'Treat unknown and repeated fields like this'
            cand --color 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured'
            cand --update 'Let the suites expect what is, instead of comparing it'
            cand --ignore-unknown-kinds 'Leave out objects of kinds that nobody defines, with a note'
            cand --ignore-non-manifests 'Leave out files and documents that are no manifests, with a note'
            cand --strict 'Take nothing for granted: no namespace is assumed and no controller played'
            cand --dry-run 'Evaluate every request alone: nothing that is admitted exists for the others'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kadmit;plugins'= {
            cand --kubernetes-version 'List the plugins of this release of Kubernetes, from 1.10 on [default: 1.36]'
            cand --distribution 'List those of the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]'
            cand -o 'Choose the format of the list'
            cand --output 'Choose the format of the list'
            cand --color 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kadmit;explain'= {
            cand --color 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kadmit;config'= {
            cand --color 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand check 'Check the flags, the AdmissionConfiguration and the files of plugins'
            cand view 'Show the chain and the configuration of its plugins, with all defaults'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'kadmit;config;check'= {
            cand --kube-apiserver 'Take the flags of the server that this static Pod, systemd unit or list of flags starts'
            cand --root 'Look for the files that --kube-apiserver names below this directory'
            cand --kubernetes-version 'Be the server of this release of Kubernetes, from 1.10 on [default: 1.36]'
            cand --distribution 'Be the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]'
            cand --openshift-config 'Read the KubeAPIServerConfig of OpenShift''s kube-apiserver from this file'
            cand --openshift-apiserver-config 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file'
            cand --master-config 'Read the MasterConfig of an Origin master from this file'
            cand --admission-control-config-file 'Read the AdmissionConfiguration of the plugins from this file'
            cand --enable-admission-plugins 'Enable these plugins in addition to the default ones'
            cand --disable-admission-plugins 'Disable these plugins although they are on by default'
            cand --admission-control 'Enable exactly these plugins'
            cand --feature-gates 'Set feature gates, such as A=true,B=false'
            cand --emulated-version 'Behave as this release, such as 1.35'
            cand --runtime-config 'Serve APIs or not, such as scheduling.k8s.io/v1alpha2=true'
            cand --authorization-mode 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]'
            cand --default-not-ready-toleration-seconds 'Tolerate not-ready nodes this long by default [default: 300]'
            cand --default-unreachable-toleration-seconds 'Tolerate unreachable nodes this long by default [default: 300]'
            cand --color 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kadmit;config;view'= {
            cand -o 'Choose the format'
            cand --output 'Choose the format'
            cand --kube-apiserver 'Take the flags of the server that this static Pod, systemd unit or list of flags starts'
            cand --root 'Look for the files that --kube-apiserver names below this directory'
            cand --kubernetes-version 'Be the server of this release of Kubernetes, from 1.10 on [default: 1.36]'
            cand --distribution 'Be the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]'
            cand --openshift-config 'Read the KubeAPIServerConfig of OpenShift''s kube-apiserver from this file'
            cand --openshift-apiserver-config 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file'
            cand --master-config 'Read the MasterConfig of an Origin master from this file'
            cand --admission-control-config-file 'Read the AdmissionConfiguration of the plugins from this file'
            cand --enable-admission-plugins 'Enable these plugins in addition to the default ones'
            cand --disable-admission-plugins 'Disable these plugins although they are on by default'
            cand --admission-control 'Enable exactly these plugins'
            cand --feature-gates 'Set feature gates, such as A=true,B=false'
            cand --emulated-version 'Behave as this release, such as 1.35'
            cand --runtime-config 'Serve APIs or not, such as scheduling.k8s.io/v1alpha2=true'
            cand --authorization-mode 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]'
            cand --default-not-ready-toleration-seconds 'Tolerate not-ready nodes this long by default [default: 300]'
            cand --default-unreachable-toleration-seconds 'Tolerate unreachable nodes this long by default [default: 300]'
            cand --color 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kadmit;config;help'= {
            cand check 'Check the flags, the AdmissionConfiguration and the files of plugins'
            cand view 'Show the chain and the configuration of its plugins, with all defaults'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'kadmit;config;help;check'= {
        }
        &'kadmit;config;help;view'= {
        }
        &'kadmit;config;help;help'= {
        }
        &'kadmit;fixtures'= {
            cand --check 'Say what is missing among the objects in these files instead'
            cand --kube-apiserver 'Take the flags of the server that this static Pod, systemd unit or list of flags starts'
            cand --root 'Look for the files that --kube-apiserver names below this directory'
            cand --kubernetes-version 'Be the server of this release of Kubernetes, from 1.10 on [default: 1.36]'
            cand --distribution 'Be the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]'
            cand --openshift-config 'Read the KubeAPIServerConfig of OpenShift''s kube-apiserver from this file'
            cand --openshift-apiserver-config 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file'
            cand --master-config 'Read the MasterConfig of an Origin master from this file'
            cand --admission-control-config-file 'Read the AdmissionConfiguration of the plugins from this file'
            cand --enable-admission-plugins 'Enable these plugins in addition to the default ones'
            cand --disable-admission-plugins 'Disable these plugins although they are on by default'
            cand --admission-control 'Enable exactly these plugins'
            cand --feature-gates 'Set feature gates, such as A=true,B=false'
            cand --emulated-version 'Behave as this release, such as 1.35'
            cand --runtime-config 'Serve APIs or not, such as scheduling.k8s.io/v1alpha2=true'
            cand --authorization-mode 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]'
            cand --default-not-ready-toleration-seconds 'Tolerate not-ready nodes this long by default [default: 300]'
            cand --default-unreachable-toleration-seconds 'Tolerate unreachable nodes this long by default [default: 300]'
            cand --color 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kadmit;completions'= {
            cand --color 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'kadmit;help'= {
            cand run 'Evaluate manifests against the admission chain'
            cand diff 'Show what a change of manifests changes in outcomes'
            cand compare 'Show what a change of the server changes in outcomes, before it is made'
            cand test 'Run suites of requests with the answers that are expected'
            cand plugins 'List the admission plugins of a release'
            cand explain 'Explain what an admission plugin does'
            cand config 'Check or show the configuration of the API server'
            cand fixtures 'Print the kubectl command that collects what the chain reads'
            cand completions 'Print the completions of a shell'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'kadmit;help;run'= {
        }
        &'kadmit;help;diff'= {
        }
        &'kadmit;help;compare'= {
        }
        &'kadmit;help;test'= {
        }
        &'kadmit;help;plugins'= {
        }
        &'kadmit;help;explain'= {
        }
        &'kadmit;help;config'= {
            cand check 'Check the flags, the AdmissionConfiguration and the files of plugins'
            cand view 'Show the chain and the configuration of its plugins, with all defaults'
        }
        &'kadmit;help;config;check'= {
        }
        &'kadmit;help;config;view'= {
        }
        &'kadmit;help;fixtures'= {
        }
        &'kadmit;help;completions'= {
        }
        &'kadmit;help;help'= {
        }
    ]
    $completions[$command]
}
