import CandleConfiguration

/// A configuration that is taken is the same when it is written and read again; one that is not has its problems in the
/// order of the file.
func fuzzConfiguration(_ input: UnsafeRawBufferPointer) {
  switch Configuration.parse(bytes: Array(input), file: "f") {
  case .failure(let problems):
    promise(!problems.list.isEmpty, "refused without a problem")
    for problem in problems.list { promise(!problem.description.isEmpty, "a problem without a text") }
  case .success(let configuration):
    let text = Configuration.example(of: configuration)
    guard case .success(let again) = Configuration.parse(text: text, file: "f") else {
      fatalError("what was written is refused:\n\(text)")
    }
    promise(again == configuration, "what was written is another configuration:\n\(text)")
  }
}
