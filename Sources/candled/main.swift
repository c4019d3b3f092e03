print(Version.text)
