import { parseJson } from '@panoptes/schema/json'
import type { Fields } from '@panoptes/schema/plain-object'
import type { Attributes, Span } from './spans.ts'

const MOST_TEXT = 1_048_576
const DEEPEST = 8
const MOST_ITEMS = 1_000
const OWN: ReadonlySet<unknown> = new Set(['assistant', 'ai', 'model', 'AIMessage'])
const USER_ROLES: ReadonlySet<unknown> = new Set(['user', 'human', 'HumanMessage'])
/** Fields that may contain the text of a message, however it is wrapped. */
const INSIDE = [
  'content',
  'text',
  'parts',
  'contents',
  'message',
  'messages',
  'generations',
  'choices',
  'output',
]

export type Speaker = 'agent' | 'user'

/** Extracts the text of an attribute: plain text, messages as JSON, or message objects. */
export function wordsIn(value: unknown, speaker: Speaker): string {
  const content = typeof value === 'string' ? parsed(value) : value
  return typeof content === 'string'
    ? content.slice(0, MOST_TEXT)
    : messageWords(content, speaker, 0).slice(0, MOST_TEXT)
}

function parsed(text: string): unknown {
  if (!/^\s*[[{"]/.test(text.slice(0, 200))) return text
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

/** Collects a list that is spread over attributes such as `llm.output_messages.0.message.content`. */
export function listedWords(attributes: Attributes, list: string, speaker: Speaker): string {
  const found: string[] = []
  for (let n = 0; n < MOST_ITEMS; n += 1) {
    const at = `${list}.${n}.`
    const text = [...partsAt(attributes, at)].join('\n')
    const role = attributes.get(`${at}message.role`) ?? attributes.get(`${at}role`)
    if (role === undefined && text === '') break
    if (text !== '' && fits(role, speaker)) found.push(text)
  }
  return (speaker === 'user' ? (found.at(-1) ?? '') : found.join('\n')).slice(0, MOST_TEXT)
}

function* partsAt(attributes: Attributes, at: string): Generator<string> {
  const content = attributes.get(`${at}message.content`) ?? attributes.get(`${at}content`)
  if (typeof content === 'string') yield content
  for (let m = 0; m < MOST_ITEMS; m += 1) {
    const part = `${at}message.contents.${m}.message_content.`
    const text = attributes.get(`${part}text`)
    if (typeof text === 'string') yield text
    else if (!attributes.has(`${part}type`)) return
  }
}

/** Extracts the text of a choice that was recorded as a span event. */
export const eventWords = (span: Span, name: string): string =>
  span.events
    .filter((event) => event.name === name)
    .map(({ attributes }) => {
      for (const at of ['message', 'content', 'gen_ai.event.content', 'gen_ai.completion'])
        if (attributes.has(at)) return wordsIn(attributes.get(at), 'agent')
      return ''
    })
    .filter((text) => text !== '')
    .join('\n')
    .slice(0, MOST_TEXT)

function messageWords(value: unknown, speaker: Speaker, depth: number): string {
  if (typeof value === 'string') return value
  if (depth > DEEPEST || typeof value !== 'object' || value === null) return ''
  if (!Array.isArray(value)) return fieldWords(value as Fields, speaker, depth)
  const spoken = value.slice(0, MOST_ITEMS).filter((each) => fits(messageRole(each), speaker))
  const last = value.some((each) => messageRole(each) !== undefined) ? spoken.slice(-1) : spoken
  return last
    .map((each) => messageWords(each, speaker, depth + 1))
    .filter((text) => text !== '')
    .join('\n')
}

function fieldWords(fields: Fields, speaker: Speaker, depth: number): string {
  // These parts are not text: a call, its result, a thought.
  if (typeof fields.type === 'string' && /tool|function|reasoning|thinking|image|blob|file/.test(fields.type))
    return ''
  for (const name of INSIDE) {
    const text = fields[name] === undefined ? '' : messageWords(fields[name], speaker, depth + 1)
    if (text !== '') return text
  }
  return ''
}

const messageRole = (message: unknown): unknown => {
  if (typeof message !== 'object' || message === null) return undefined
  const { role, type } = message as Fields
  return (
    role ?? (OWN.has(type) || USER_ROLES.has(type) || type === 'system' || type === 'tool' ? type : undefined)
  )
}

const fits = (role: unknown, speaker: Speaker): boolean =>
  role === undefined || (speaker === 'agent' ? OWN : USER_ROLES).has(role)
