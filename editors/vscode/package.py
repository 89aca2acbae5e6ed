#!/usr/bin/env python3
"""Packs the extension into a .vsix, which is a zip with a manifest: `package.py OUT`. Needs no network."""

import json
import pathlib
import sys
import xml.sax.saxutils
import zipfile

HERE = pathlib.Path(__file__).parent
FILES = ["package.json", "extension.js", "client.js", "README.md", "icon.png"]

CONTENT_TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension=".json" ContentType="application/json"/>
  <Default Extension=".js" ContentType="application/javascript"/>
  <Default Extension=".md" ContentType="text/markdown"/>
  <Default Extension=".png" ContentType="image/png"/>
  <Default Extension=".txt" ContentType="text/plain"/>
  <Default Extension=".vsixmanifest" ContentType="text/xml"/>
</Types>
"""

MANIFEST = """<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="{name}" Version="{version}" Publisher="{publisher}"/>
    <DisplayName>{displayName}</DisplayName>
    <Description xml:space="preserve">{description}</Description>
    <Tags>{tags}</Tags>
    <Categories>{categories}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <Icon>extension/icon.png</Icon>
    <License>extension/LICENSE.txt</License>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="{engine}"/>
    </Properties>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Icons.Default" Path="extension/icon.png" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
  </Assets>
</PackageManifest>
"""


def main(out: str) -> None:
    package = json.loads((HERE / "package.json").read_text())
    values = {**package, "tags": ",".join(package["keywords"]), "engine": package["engines"]["vscode"]}
    values["categories"] = ",".join(package["categories"])
    escaped = {key: xml.sax.saxutils.escape(str(value), {'"': "&quot;"}) for key, value in values.items()}
    manifest = MANIFEST.format(**escaped)
    entries = {"[Content_Types].xml": CONTENT_TYPES, "extension.vsixmanifest": manifest}
    entries |= {f"extension/{file}": (HERE / file).read_bytes() for file in FILES}
    entries["extension/LICENSE.txt"] = (HERE.parent.parent / "LICENSE").read_text()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in entries.items():
            info = zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, text)


if __name__ == "__main__":
    main(*sys.argv[1:])
