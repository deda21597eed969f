import type { ContentBlock } from '@panoptes/schema'

const MOST_TEXT = 100_000
const MOST_RESULT = 50_000
const MOST_INPUT = 50_000
/** The limit in characters of base64: screenshots are larger and are fetched one by one. */
const MOST_IMAGE = 400_000
/** The limit for one text in a tool's input, so that the other texts are shown as well. */
const MOST_IN_INPUT = 12_000
const MOST_DEPTH = 100

/** Cuts a block to what a transcript shows, and counts what it leaves out. */
export function cutBlock(block: ContentBlock): ContentBlock {
  switch (block.type) {
    case 'text':
    case 'reasoning':
      return cutText(block, MOST_TEXT)
    case 'tool_result':
      return cutText(block, MOST_RESULT)
    case 'tool_call':
      return cutCall(block)
    case 'image':
      return block.data === null || block.data.length <= MOST_IMAGE
        ? block
        : { ...block, data: null, left_out: block.data.length }
  }
}

function cutText<B extends ContentBlock & { readonly text: string }>(block: B, most: number): B {
  if (block.text.length <= most) return block
  return { ...block, text: block.text.slice(0, most), left_out: block.text.length - most }
}

function cutCall(block: ContentBlock & { readonly type: 'tool_call' }): ContentBlock {
  const input = wholeInput(block.input)
  const length = jsonLength(input)
  if (length <= MOST_INPUT) return { ...block, input }
  const shown = shortened(input, { left: MOST_INPUT }, MOST_IN_INPUT, 0)
  return { ...block, input: shown, left_out: Math.max(1, length - jsonLength(shown)) }
}

/** Returns the whole input except for values nested too deeply to be written as JSON. */
export const wholeInput = (input: unknown): unknown =>
  shortened(input, { left: Number.POSITIVE_INFINITY }, Number.POSITIVE_INFINITY, 0)

const jsonLength = (value: unknown): number => JSON.stringify(value)?.length ?? 0

interface Budget {
  left: number
}

const LEFT_OUT = '…'

function shortened(value: unknown, budget: Budget, mostText: number, depth: number): unknown {
  if (typeof value === 'string') {
    const text = value.slice(0, Math.max(0, Math.min(mostText, budget.left)))
    budget.left -= text.length + 2
    return text.length < value.length ? text + LEFT_OUT : text
  }
  if (typeof value !== 'object' || value === null) {
    budget.left -= String(value).length
    return value
  }
  if (depth >= MOST_DEPTH) return LEFT_OUT
  if (Array.isArray(value)) {
    const items: unknown[] = []
    for (const item of value) {
      if (budget.left <= 0) break
      items.push(shortened(item, budget, mostText, depth + 1))
    }
    return items
  }
  const fields: [string, unknown][] = []
  for (const [name, field] of Object.entries(value)) {
    if (budget.left <= 0) break
    budget.left -= name.length + 4
    fields.push([name, shortened(field, budget, mostText, depth + 1)])
  }
  return Object.fromEntries(fields)
}
