/** A node of a JSON text with its position, so that edits can leave the surrounding text unchanged. */
export type JsonNode = ObjectNode | ArrayNode | ScalarNode

interface Span {
  readonly start: number
  readonly end: number
}
interface Member extends Span {
  readonly key: string
  readonly value: JsonNode
}
export interface ObjectNode extends Span {
  readonly kind: 'object'
  readonly children: readonly Member[]
}
export interface ArrayNode extends Span {
  readonly kind: 'array'
  readonly children: readonly JsonNode[]
}
export interface ScalarNode extends Span {
  readonly kind: 'scalar'
}

/** A syntax error; line and column count from 1. */
export interface JsonMistake {
  readonly line: number
  readonly column: number
  readonly reason: string
}
export type JsonParsing =
  | { readonly ok: true; readonly root: JsonNode }
  | ({ readonly ok: false } & JsonMistake)

const DEEPEST = 200

/** The formatting of a text, so that additions match it. */
interface Layout {
  readonly unit: string
  readonly newline: string
  /** This is true when everything is on one line. */
  readonly flat: boolean
}

export function parseJson(text: string): JsonParsing {
  try {
    return { ok: true, root: new Scanner(text).document() }
  } catch (error) {
    if (error instanceof Mistake) return { ok: false, ...toPosition(text, error.at), reason: error.message }
    throw error
  }
}

/** Returns the last member with this key, which is the one JSON parsers use. */
export const findMember = (object: ObjectNode, key: string): Member | undefined =>
  object.children.findLast((member) => member.key === key)

export function toPosition(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at)
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') }
}

class Mistake extends Error {
  readonly at: number
  constructor(at: number, reason: string) {
    super(reason)
    this.at = at
  }
}

class Scanner {
  readonly #text: string
  #at = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
  }

  document(): JsonNode {
    if (this.#text.startsWith('\uFEFF')) this.#at = 1
    const root = this.#value()
    this.#space()
    if (this.#at < this.#text.length) throw this.#mistake('nothing may follow the end of the document')
    return root
  }

  #value(): JsonNode {
    this.#space()
    const next = this.#text[this.#at]
    if (next === '{') return this.#nested(() => this.#object())
    if (next === '[') return this.#nested(() => this.#array())
    if (next === '"') {
      const start = this.#at
      this.#string()
      return { kind: 'scalar', start, end: this.#at }
    }
    return this.#word()
  }

  #nested<T>(read: () => T): T {
    this.#depth += 1
    if (this.#depth > DEEPEST) throw this.#mistake('is nested too deep')
    const node = read()
    this.#depth -= 1
    return node
  }

  #object(): ObjectNode {
    const start = this.#at
    const children: Member[] = []
    this.#items('}', () => {
      if (this.#text[this.#at] !== '"') throw this.#mistake('a name in double quotes is expected here')
      const from = this.#at
      const key = this.#string()
      this.#space()
      if (this.#text[this.#at] !== ':') throw this.#mistake('":" is expected here')
      this.#at += 1
      const value = this.#value()
      children.push({ start: from, end: value.end, key, value })
    })
    return { kind: 'object', start, end: this.#at, children }
  }

  #array(): ArrayNode {
    const start = this.#at
    const children: JsonNode[] = []
    this.#items(']', () => void children.push(this.#value()))
    return { kind: 'array', start, end: this.#at, children }
  }

  #items(close: string, item: () => void): void {
    this.#at += 1
    this.#space()
    if (this.#text[this.#at] === close) {
      this.#at += 1
      return
    }
    for (;;) {
      item()
      this.#space()
      const next = this.#text[this.#at]
      if (next !== ',' && next !== close) throw this.#mistake(`"," or "${close}" is expected here`)
      this.#at += 1
      if (next === close) return
      this.#space()
    }
  }

  #string(): string {
    const start = this.#at
    let end = start + 1
    while (end < this.#text.length && this.#text[end] !== '"') end += this.#text[end] === '\\' ? 2 : 1
    this.#at = end + 1
    try {
      return JSON.parse(this.#text.slice(start, end + 1)) as string
    } catch {
      throw new Mistake(start, 'this text in quotes does not end, or has a character that must be escaped')
    }
  }

  #word(): ScalarNode {
    const start = this.#at
    const found = /[-+.\w]+/y
    found.lastIndex = start
    const word = found.exec(this.#text)?.[0]
    if (word === undefined) {
      throw this.#mistake(
        start >= this.#text.length ? 'the document ends unexpectedly' : 'a value is expected here',
      )
    }
    try {
      JSON.parse(word)
    } catch {
      throw this.#mistake(`${word.slice(0, 40)} is not a JSON value`)
    }
    this.#at = start + word.length
    return { kind: 'scalar', start, end: this.#at }
  }

  #space(): void {
    while (' \t\r\n'.includes(this.#text[this.#at] ?? '-')) this.#at += 1
  }

  #mistake(reason: string): Mistake {
    return new Mistake(this.#at, reason)
  }
}

export function detectLayout(text: string): Layout {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1]
  const flat = !text.trim().includes('\n') && !/^\uFEFF?\s*\{\s*\}\s*$/.test(text)
  return { unit: indent ?? '  ', newline: text.includes('\r\n') ? '\r\n' : '\n', flat }
}

export function appendMember(
  text: string,
  object: ObjectNode,
  key: string,
  value: unknown,
  layout: Layout,
): string {
  return append(text, object, value, layout, (tight) => `${JSON.stringify(key)}:${tight ? '' : ' '}`)
}

export function appendItem(text: string, array: ArrayNode, value: unknown, layout: Layout): string {
  return append(text, array, value, layout, () => '')
}

/** Removes one child together with its comma. */
export function removeChild(text: string, container: ObjectNode | ArrayNode, index: number): string {
  const children: readonly (Member | JsonNode)[] = container.children
  const child = children[index]
  if (child === undefined) return text
  const before = children[index - 1]
  const after = children[index + 1]
  if (before) return text.slice(0, before.end) + text.slice(child.end)
  if (after) return text.slice(0, child.start) + text.slice(after.start)
  return text.slice(0, container.start + 1) + text.slice(container.end - 1)
}

export function replaceNode(text: string, node: JsonNode, value: unknown, layout: Layout): string {
  const many = text.slice(node.start, node.end).includes('\n')
  const written = many ? spread(value, layout, indentAt(text, node.start)) : JSON.stringify(value)
  return text.slice(0, node.start) + written + text.slice(node.end)
}

type Label = (tight: boolean) => string

function append(
  text: string,
  container: ObjectNode | ArrayNode,
  value: unknown,
  layout: Layout,
  label: Label,
): string {
  const last = container.children.at(-1)
  if (last === undefined) return fill(text, container, value, layout, label)
  const gap = spaceBefore(text, last.start)
  if (!gap.includes('\n')) {
    const tight = layout.flat && gap === '' && !/:\s/.test(text)
    const written = `,${tight ? '' : gap || ' '}${label(tight)}${JSON.stringify(value)}`
    return text.slice(0, last.end) + written + text.slice(last.end)
  }
  const indent = gap.slice(gap.lastIndexOf('\n') + 1)
  const written = `,${layout.newline}${indent}${label(false)}${spread(value, layout, indent)}`
  return text.slice(0, last.end) + written + text.slice(last.end)
}

function fill(
  text: string,
  container: ObjectNode | ArrayNode,
  value: unknown,
  layout: Layout,
  label: Label,
): string {
  const outer = indentAt(text, container.start)
  const inner = outer + layout.unit
  const written = layout.flat
    ? `${label(true)}${JSON.stringify(value)}`
    : `${layout.newline}${inner}${label(false)}${spread(value, layout, inner)}${layout.newline}${outer}`
  return text.slice(0, container.start + 1) + written + text.slice(container.end - 1)
}

function spaceBefore(text: string, end: number): string {
  let start = end
  while (' \t\r\n'.includes(text[start - 1] ?? '-')) start -= 1
  return text.slice(start, end)
}

const spread = (value: unknown, { unit, newline }: Layout, indent: string): string =>
  JSON.stringify(value, null, unit).split('\n').join(`${newline}${indent}`)

function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at)
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}
