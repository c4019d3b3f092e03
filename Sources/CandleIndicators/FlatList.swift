/// An immutable list in memory of its own, for parameters that are read on every tick: reading an element costs
/// neither a bounds check nor a reference count.
///
/// Its owner frees it.
struct FlatList<Element: BitwiseCopyable> {
  let start: UnsafeMutablePointer<Element>
  let count: Int

  init(_ elements: [Element]) {
    count = elements.count
    start = .allocate(capacity: max(1, count))
    for (index, element) in elements.enumerated() { (start + index).initialize(to: element) }
  }

  @inline(__always) subscript(index: Int) -> Element { start[index] }

  func deallocate() { start.deallocate() }
}
