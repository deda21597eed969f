/**
 * Finds every place where one of the literals ends, in one pass over the text and without regard to the case
 * of ASCII letters. `visit` answers where to go on: its own position to simply continue, or a later one.
 */
export type Finder = (text: string, visit: (literal: number, start: number, end: number) => number) => void

interface Node {
  readonly next: Map<number, number>
  fail: number
  ends: readonly number[]
}

/** An automaton after Aho and Corasick, as one flat table: a long hostile line costs no more than a plain one. */
export function createFinder(literals: readonly string[]): Finder {
  const classes = classesOf(literals)
  const width = Math.max(...classes) + 1
  const nodes = trieOf(literals, classes)
  const table = link(nodes, width)
  const ends = nodes.map((node) => node.ends)
  const hasEnds = new Uint8Array(table.length)
  ends.forEach((list, index) => {
    if (list.length > 0) hasEnds[index * width] = 1
  })
  const lengths = literals.map((literal) => literal.length)

  return (text, visit) => {
    let state = 0
    let at = 0
    while (at < text.length) {
      const code = text.charCodeAt(at)
      state = table[state + (code < 128 ? (classes[code] as number) : 0)] as number
      at += 1
      if (hasEnds[state] === 0) continue
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

/** Characters that no literal has share class 0. */
function classesOf(literals: readonly string[]): Uint8Array {
  const classes = new Uint8Array(128)
  let count = 0
  for (const character of new Set(literals.join('').toLowerCase())) {
    count += 1
    classes[character.charCodeAt(0)] = count
    classes[character.toUpperCase().charCodeAt(0)] = count
  }
  return classes
}

function trieOf(literals: readonly string[], classes: Uint8Array): Node[] {
  const nodes: Node[] = [{ next: new Map(), fail: 0, ends: [] }]
  literals.forEach((literal, index) => {
    let at = 0
    for (const character of literal) {
      const symbol = classes[character.charCodeAt(0)] as number
      const known = nodes[at]?.next.get(symbol)
      if (known === undefined) {
        nodes[at]?.next.set(symbol, nodes.length)
        at = nodes.length
        nodes.push({ next: new Map(), fail: 0, ends: [] })
      } else at = known
    }
    const last = nodes[at] as Node
    last.ends = [...last.ends, index]
  })
  return nodes
}

/** Fills the table breadth first; its entries are row offsets, so that a step is one addition and one read. */
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
