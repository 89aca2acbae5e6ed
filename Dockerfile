# kadmit alone, statically linked, in an image with nothing else.
#
#   docker build --tag kadmit .
#   docker run --rm --volume "$PWD:/work:ro" kadmit run --cluster cluster manifests

# Rust on Alpine builds for musl, on the platform that the image is built for, and links statically.
FROM rust:1-alpine AS build
WORKDIR /src
COPY . .
RUN cargo install --locked --path . --root /out

FROM scratch
COPY --from=build /out/bin/kadmit /kadmit
# Nobody in particular: kadmit reads what everybody may read.
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/kadmit"]
CMD ["--help"]
