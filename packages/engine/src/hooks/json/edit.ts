import type { ArrayNode, JsonNode, Member, ObjectNode } from './tree.ts'

/** The formatting of a text, so that additions match it. */
export interface Layout {
  readonly unit: string
  readonly newline: string
  /** This is true when everything is on one line. */
  readonly flat: boolean
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
