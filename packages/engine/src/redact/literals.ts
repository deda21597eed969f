/**
 * Finds every occurrence of the literals in one pass, ignoring the case of ASCII letters. `visit` returns
 * where to continue: its own position, or a later one.
 */
export type Finder = (text: string, visit: (literal: number, start: number, end: number) => number) => void

interface Node {
  readonly next: Map<number, number>
  fail: number
  ends: readonly number[]
}

/**
 * Builds an Aho-Corasick automaton in one flat table, so that a hostile line costs no more than a plain one.
 * All characters of `alike` count as the first of them, so that they do not widen the table.
 */
export function createFinder(literals: readonly string[], alike = ''): Finder {
  const classes = assignClasses(literals)
  for (const character of alike) classes[character.charCodeAt(0)] = classes[alike.charCodeAt(0)] as number
  const width = new Set(classes).size
  const nodes = buildTrie(literals, classes)
  const table = link(nodes, width)
  const ends = nodes.map((node) => node.ends)
  const hasEnds = new Uint8Array(table.length)
  ends.forEach((list, index) => {
    if (list.length > 0) hasEnds[index * width] = 1
  })
  const lengths = literals.map((literal) => literal.length)

  // The state in which `advance` stopped. The loop has no calls of its own, so that it compiles well whatever
  // `visit` does.
  let state = 0
  const advance = (text: string, from: number): number => {
    let row = state
    let at = from
    while (at < text.length) {
      row = table[row + (classes[text.charCodeAt(at)] as number)] as number
      at += 1
      if (hasEnds[row] === 1) break
    }
    state = row
    return at
  }

  return (text, visit) => {
    state = 0
    let at = 0
    while (at < text.length) {
      at = advance(text, at)
      if (hasEnds[state] === 0) return
      for (const literal of ends[state / width] as readonly number[]) {
        const resume = visit(literal, at - (lengths[literal] as number), at)
        if (resume <= at) continue
        at = resume
        state = 0
        break
      }
    }
  }
}

/** Characters that no literal contains share class 0. */
function assignClasses(literals: readonly string[]): Uint8Array {
  const classes = new Uint8Array(65_536)
  let count = 0
  for (const character of new Set(literals.join('').toLowerCase())) {
    count += 1
    classes[character.charCodeAt(0)] = count
    classes[character.toUpperCase().charCodeAt(0)] = count
  }
  return classes
}

function buildTrie(literals: readonly string[], classes: Uint8Array): Node[] {
  const nodes: Node[] = [{ next: new Map(), fail: 0, ends: [] }]
  literals.forEach((literal, index) => {
    let at = 0
    for (const character of literal) {
      const symbol = classes[character.charCodeAt(0)] as number
      const existing = nodes[at]?.next.get(symbol)
      if (existing === undefined) {
        nodes[at]?.next.set(symbol, nodes.length)
        at = nodes.length
        nodes.push({ next: new Map(), fail: 0, ends: [] })
      } else at = existing
    }
    const last = nodes[at] as Node
    last.ends = [...last.ends, index]
  })
  return nodes
}

/** Fills the table breadth first. Entries are row offsets, so that a step is one addition and one read. */
function link(nodes: Node[], width: number): Uint16Array | Uint32Array {
  const size = nodes.length * width
  const table = size > 65_536 ? new Uint32Array(size) : new Uint16Array(size)
  const queue = [0]
  for (const index of queue) {
    const node = nodes[index] as Node
    for (let symbol = 1; symbol < width; symbol++) {
      const fallback = index === 0 ? 0 : (table[node.fail * width + symbol] as number)
      const child = node.next.get(symbol)
      table[index * width + symbol] = child === undefined ? fallback : child * width
      if (child === undefined) continue
      const childNode = nodes[child] as Node
      childNode.fail = fallback / width
      childNode.ends = [...childNode.ends, ...(nodes[childNode.fail] as Node).ends]
      queue.push(child)
    }
  }
  return table
}
