import { createCalls } from './calls.ts'
import { type Fields, fields, newId } from './shape.ts'
import type { Tools } from './tools.ts'

/** Tells an event, without its number. */
export type Tell = (type: string, data: Fields) => void

export interface Item {
  /** As it is, or as it will have been. */
  readonly now: (status: 'in_progress' | 'completed' | 'incomplete') => Fields
}

/** `incomplete` where the model had no room for more. */
export type Ending = 'completed' | 'incomplete' | 'failed'

/** Where items of an answer are added; each has its place in it. */
export type Add = (item: Item) => number

/** Makes the items of an answer out of its pieces, and tells each step. */
export interface Output {
  readonly take: (delta: Fields) => void
  /** Nothing more comes. Of what was broken off nothing is told as done, so that nobody carries out half a call. */
  readonly end: (as: Ending) => void
  readonly items: () => readonly Fields[]
}

export function createOutput(tools: Tools, tell: Tell): Output {
  const items: Item[] = []
  let isWhole = true
  const add: Add = (item) => {
    tell('response.output_item.added', { output_index: items.length, item: item.now('in_progress') })
    return items.push(item) - 1
  }
  const calls = createCalls(tools, add, tell)
  let words: Words | undefined
  const finish = () => {
    words?.end(true)
    if (words) tell('response.output_item.done', { output_index: words.place, item: words.now('completed') })
    words = undefined
  }
  const say = (kind: WordsKind, delta: unknown) => {
    if (typeof delta !== 'string' || delta === '') return
    if (words?.kind !== kind) finish()
    words ??= startWords(kind, add, tell)
    words.say(delta)
  }
  let thinksIn: string | undefined
  return {
    take: (delta) => {
      // Some say the same in two fields.
      thinksIn ??= ['reasoning_content', 'reasoning'].find((field) => typeof delta[field] === 'string')
      if (thinksIn) say('reasoning', delta[thinksIn])
      say('message', delta.content)
      say('refusal', delta.refusal)
      if (!Array.isArray(delta.tool_calls) || delta.tool_calls.length === 0) return
      finish()
      for (const piece of delta.tool_calls) calls.take(fields(piece))
    },
    end: (as) => {
      isWhole = as === 'completed'
      if (as !== 'failed') finish()
      words?.end(false)
      calls.end(isWhole)
    },
    items: () =>
      items.map((item, at) => item.now(isWhole || at < items.length - 1 ? 'completed' : 'incomplete')),
  }
}

type WordsKind = 'reasoning' | 'message' | 'refusal'

interface Words extends Item {
  readonly kind: WordsKind
  readonly place: number
  readonly say: (delta: string) => void
  readonly end: (isTold: boolean) => void
}

/** What events call the words of each kind, and what the part of the item is that they are in. */
const WORDS = {
  message: { events: 'output_text', part: 'content_part', index: 'content_index', field: 'text' },
  refusal: { events: 'refusal', part: 'content_part', index: 'content_index', field: 'refusal' },
  reasoning: {
    events: 'reasoning_summary_text',
    part: 'reasoning_summary_part',
    index: 'summary_index',
    field: 'text',
  },
} as const

function startWords(kind: WordsKind, add: Add, tell: Tell): Words {
  const { events, part, index, field } = WORDS[kind]
  const id = newId(kind === 'reasoning' ? 'rs' : 'msg')
  let said = ''
  let parts: readonly Fields[] = []
  const partNow = (): Fields => {
    if (kind === 'reasoning') return { type: 'summary_text', text: said }
    if (kind === 'refusal') return { type: 'refusal', refusal: said }
    return { type: 'output_text', text: said, annotations: [], logprobs: [] }
  }
  const now: Item['now'] = (status) =>
    kind === 'reasoning'
      ? { id, type: 'reasoning', status, summary: parts }
      : { id, type: 'message', status, role: 'assistant', content: parts }
  const place = add({ now })
  const where = { item_id: id, output_index: place, [index]: 0 }
  const more = kind === 'message' ? { logprobs: [] } : {}
  tell(`response.${part}.added`, { ...where, part: partNow() })
  return {
    kind,
    place,
    now,
    say: (delta) => {
      said += delta
      tell(`response.${events}.delta`, { ...where, delta, ...more })
    },
    end: (isTold) => {
      parts = [partNow()]
      if (!isTold) return
      tell(`response.${events}.done`, { ...where, [field]: said, ...more })
      tell(`response.${part}.done`, { ...where, part: parts[0] })
    },
  }
}
