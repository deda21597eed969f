import type { ContentBlock } from '@panoptes/schema'

const MOST_TEXT = 100_000
const MOST_RESULT = 50_000
const MOST_INPUT = 50_000
/** In characters of base64: the pictures of a screen are larger, and are fetched one by one. */
const MOST_IMAGE = 400_000
/** Of one text in what a tool was given, so that the others of it are seen too. */
const MOST_IN_INPUT = 12_000
const MOST_DEPTH = 100

/** How much of a block is shown in a transcript. What is left out of it is counted. */
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
  const length = lengthOf(input)
  if (length <= MOST_INPUT) return { ...block, input }
  const shown = shortened(input, { left: MOST_INPUT }, MOST_IN_INPUT, 0)
  return { ...block, input: shown, left_out: Math.max(1, length - lengthOf(shown)) }
}

/** What a tool was given, but for what lies so deep that it could not be written as JSON again. */
export const wholeInput = (input: unknown): unknown =>
  shortened(input, { left: Number.POSITIVE_INFINITY }, Number.POSITIVE_INFINITY, 0)

const lengthOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0

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
