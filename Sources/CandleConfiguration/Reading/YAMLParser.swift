import CYaml

/// Reads YAML (or JSON) into a tree, with libyaml.
///
/// One document, at most 32 levels deep. Anchors, aliases and tags other than `!!str` are refused: a configuration
/// needs none of them, and aliases let a small file grow without bounds.
final class YAMLParser {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let bytes: UnsafeRawBufferPointer
  private let report: Report
  private static let deepest = 32

  /// A syntax error or a broken structure has been reported; there is no tree.
  private struct Stop: Error {}

  /// - Returns: the value of the document, nil if it is empty or its syntax is wrong; the report says what is.
  static func read(_ bytes: UnsafeRawBufferPointer, into report: Report) -> Node? {
    guard let parser = YAMLParser(bytes, report) else {
      report.add(at: Position(line: 0, column: 0), "", "cannot be read: no memory", expected: nil)
      return nil
    }
    return try? parser.document()
  }

  /// The bytes must outlive the parser.
  private init?(_ bytes: UnsafeRawBufferPointer, _ report: Report) {
    self.bytes = bytes
    self.report = report
    parser = .allocate(capacity: 1)
    guard yaml_parser_initialize(parser) == 1 else {
      parser.deallocate()
      return nil
    }
    // libyaml takes no null pointer, which is what an empty buffer has.
    let start = bytes.baseAddress ?? UnsafeRawPointer(parser)
    yaml_parser_set_input_string(parser, start.assumingMemoryBound(to: UInt8.self), bytes.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
  }

  private func document() throws -> Node? {
    var root: Node?
    while true {
      let event = try next()
      switch event.kind {
      case .start(let start): root = try node(start, "", depth: 0)
      case .documentStart where root != nil:
        report.add(at: event.position, "", "begins a second document", expected: "one document")
        throw Stop()
      case .streamEnd: return root
      default: break
      }
    }
  }

  private func node(_ start: Start, _ path: String, depth: Int) throws -> Node {
    guard depth < Self.deepest else {
      report.add(at: start.position, path, "is too deep", expected: "at most \(Self.deepest) levels")
      throw Stop()
    }
    switch start.form {
    case .scalar(let text, let isPlain):
      return Node(position: start.position, content: .scalar(text, isPlain: isPlain))
    case .refused(let what, let expected):
      report.add(at: start.position, path, what, expected: expected)
      if start.isCollection { try skip() }
      return Node(position: start.position, content: .refused)
    case .list:
      var items: [Node] = []
      while case .start(let item) = try next().kind {
        items.append(try node(item, "\(path)[\(items.count)]", depth: depth + 1))
      }
      return Node(position: start.position, content: .list(items))
    case .map:
      var entries: [Node.Entry] = []
      while case .start(let key) = try next().kind {
        guard case .scalar(let name, _) = key.form else {
          report.add(at: key.position, path, "has a key that is no text", expected: "a name")
          throw Stop()
        }
        guard case .start(let value) = try next().kind else { throw Stop() }
        let place = path.isEmpty ? name : "\(path).\(name)"
        entries.append(Node.Entry(key: name, position: key.position, value: try node(value, place, depth: depth + 1)))
      }
      return Node(position: start.position, content: .map(entries))
    }
  }

  /// The rest of a list or map.
  private func skip() throws {
    var open = 1
    while open > 0 {
      switch try next().kind {
      case .start(let start): if start.isCollection { open += 1 }
      case .end: open -= 1
      default: break
      }
    }
  }

  // MARK: Events

  private struct Start {
    enum Form {
      case scalar(String, isPlain: Bool)
      case list, map
      case refused(what: String, expected: String)
    }
    var form: Form
    var position: Position
    var isCollection: Bool
  }

  private enum Kind {
    case start(Start)
    case end, documentStart, streamEnd, other
  }

  private func next() throws -> (kind: Kind, position: Position) {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else {
      reportSyntax()
      throw Stop()
    }
    defer { yaml_event_delete(&event) }
    let position = Self.position(event.start_mark)
    switch event.type {
    case YAML_STREAM_END_EVENT: return (.streamEnd, position)
    case YAML_DOCUMENT_START_EVENT: return (.documentStart, position)
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: return (.end, position)
    case YAML_ALIAS_EVENT:
      let form = Start.Form.refused(what: "is an alias", expected: "the value itself")
      return (.start(Start(form: form, position: position, isCollection: false)), position)
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      var form = Self.refusal(scalar.anchor, scalar.tag)
      if form == nil {
        let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.value == nil ? 0 : scalar.length)
        let text = String(decoding: bytes, as: UTF8.self)
        form = .scalar(text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE && scalar.tag == nil)
      }
      return (.start(Start(form: form!, position: position, isCollection: false)), position)
    case YAML_SEQUENCE_START_EVENT:
      let list = event.data.sequence_start
      let form = Self.refusal(list.anchor, list.tag, isCollection: true) ?? .list
      return (.start(Start(form: form, position: position, isCollection: true)), position)
    case YAML_MAPPING_START_EVENT:
      let map = event.data.mapping_start
      let form = Self.refusal(map.anchor, map.tag, isCollection: true) ?? .map
      return (.start(Start(form: form, position: position, isCollection: true)), position)
    default: return (.other, position)
    }
  }

  private static func refusal(
    _ anchor: UnsafeMutablePointer<UInt8>?, _ tag: UnsafeMutablePointer<UInt8>?, isCollection: Bool = false
  ) -> Start.Form? {
    if anchor != nil { return .refused(what: "has an anchor", expected: "the value alone") }
    guard let tag, isCollection || String(cString: tag) != YAML_STR_TAG else { return nil }
    return .refused(what: "has a tag", expected: "the value alone")
  }

  private static func position(_ mark: yaml_mark_t) -> Position {
    Position(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
  }

  private func reportSyntax() {
    var reason = "syntax error"
    if let problem = parser.pointee.problem { reason += ": " + String(cString: problem) }
    if let context = parser.pointee.context { reason += " " + String(cString: context) }
    // What cannot be decoded stops the reader, which runs ahead of the marks and knows only the byte.
    let isUndecoded = parser.pointee.error == YAML_READER_ERROR
    let place =
      isUndecoded ? position(ofByte: parser.pointee.problem_offset) : Self.position(parser.pointee.problem_mark)
    report.add(at: place, "", reason, expected: "YAML or JSON in UTF-8")
  }

  private func position(ofByte offset: Int) -> Position {
    var place = Position(line: 1, column: 1)
    for byte in bytes.prefix(max(0, offset)) {
      if byte == UInt8(ascii: "\n") {
        place = Position(line: place.line + 1, column: 1)
      } else if byte & 0xc0 != 0x80 {
        place.column += 1
      }
    }
    return place
  }
}
