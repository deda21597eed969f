import type { Attributes, Span } from './spans.ts'

type Fields = Readonly<Record<string, unknown>>

const MOST_TEXT = 1_048_576
const DEEPEST = 8
const MOST_ITEMS = 1_000
const OWN: ReadonlySet<unknown> = new Set(['assistant', 'ai', 'model', 'AIMessage'])
const ASKED: ReadonlySet<unknown> = new Set(['user', 'human', 'HumanMessage'])
/** Where the words of a message may be, however it is wrapped. */
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

export type Whose = 'own' | 'asked'

/** The words in the value of an attribute: a text, messages as JSON, or messages as they are. */
export function wordsIn(value: unknown, whose: Whose): string {
  const told = typeof value === 'string' ? parsed(value) : value
  return typeof told === 'string'
    ? told.slice(0, MOST_TEXT)
    : messageWords(told, whose, 0).slice(0, MOST_TEXT)
}

function parsed(text: string): unknown {
  if (!/^\s*[[{"]/.test(text.slice(0, 200))) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** `llm.output_messages.0.message.content` and the like: a list written as many attributes. */
export function listedWords(attributes: Attributes, list: string, whose: Whose): string {
  const found: string[] = []
  for (let n = 0; n < MOST_ITEMS; n += 1) {
    const at = `${list}.${n}.`
    const said = [...partsAt(attributes, at)].join('\n')
    const role = attributes.get(`${at}message.role`) ?? attributes.get(`${at}role`)
    if (role === undefined && said === '') break
    if (said !== '' && fits(role, whose)) found.push(said)
  }
  return (whose === 'asked' ? (found.at(-1) ?? '') : found.join('\n')).slice(0, MOST_TEXT)
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

/** What a choice that was written down as an event of the span says. */
export const eventWords = (span: Span, name: string): string =>
  span.events
    .filter((event) => event.name === name)
    .map(({ attributes }) => {
      for (const at of ['message', 'content', 'gen_ai.event.content', 'gen_ai.completion'])
        if (attributes.has(at)) return wordsIn(attributes.get(at), 'own')
      return ''
    })
    .filter((text) => text !== '')
    .join('\n')
    .slice(0, MOST_TEXT)

function messageWords(value: unknown, whose: Whose, depth: number): string {
  if (typeof value === 'string') return value
  if (depth > DEEPEST || typeof value !== 'object' || value === null) return ''
  if (!Array.isArray(value)) return fieldWords(value as Fields, whose, depth)
  const spoken = value.slice(0, MOST_ITEMS).filter((each) => fits(roleOf(each), whose))
  const last = value.some((each) => roleOf(each) !== undefined) ? spoken.slice(-1) : spoken
  return last
    .map((each) => messageWords(each, whose, depth + 1))
    .filter((text) => text !== '')
    .join('\n')
}

function fieldWords(fields: Fields, whose: Whose, depth: number): string {
  // A part that is no text: a call, its result, a thought.
  if (typeof fields.type === 'string' && /tool|function|reasoning|thinking|image|blob|file/.test(fields.type))
    return ''
  for (const name of INSIDE) {
    const text = fields[name] === undefined ? '' : messageWords(fields[name], whose, depth + 1)
    if (text !== '') return text
  }
  return ''
}

const roleOf = (message: unknown): unknown => {
  if (typeof message !== 'object' || message === null) return undefined
  const { role, type } = message as Fields
  return role ?? (OWN.has(type) || ASKED.has(type) || type === 'system' || type === 'tool' ? type : undefined)
}

const fits = (role: unknown, whose: Whose): boolean =>
  role === undefined || (whose === 'own' ? OWN : ASKED).has(role)
