import type { ChatMessage } from '@panoptes/engine/models'
import type { ErrorClass } from '@panoptes/schema'

/** The system prompt of every reference. */
export const ADVISORY_ROLE = [
  'You advise another model, which acts. You do not act yourself.',
  'You have no tools and cannot open, run or change anything: never say that you did.',
  'Read the conversation, judge the state of the work, and say what the acting model should do next, what it should watch out for, and where it may be wrong.',
  'Be concrete and brief. Your advice is private: the person does not see it.',
].join(' ')

/** The first words of every guidance block. */
const GUIDANCE_MARK = '[Mixture of Agents, preset '

export interface Advice {
  readonly label: string
  readonly text: string
}

interface GuidanceOptions {
  readonly preset: string
  readonly aggregator: string
  readonly advice: readonly Advice[]
  /** Labels of the references that gave no advice. */
  readonly missing: readonly string[]
  readonly policy: 'loud' | 'silent'
}

/**
 * Appends the guidance as a message of its own, so that the prefix stays the same from call to call
 * and can be cached.
 */
export const withGuidance = (
  messages: readonly ChatMessage[],
  guidance: string | null,
): readonly ChatMessage[] =>
  guidance === null ? messages : [...messages, { role: 'user', content: guidance }]

const GUIDANCE_ROLES = ['user', 'tool']

/**
 * Appends the guidance to the last user message or tool result, for endpoints that require
 * alternating turns.
 */
export function withMergedGuidance(
  messages: readonly ChatMessage[],
  guidance: string,
): readonly ChatMessage[] | undefined {
  const last = messages.at(-1)
  if (last === undefined || !GUIDANCE_ROLES.includes(last.role)) return undefined
  const { content } = last
  const merged = Array.isArray(content)
    ? [...content, { type: 'text', text: guidance }]
    : `${typeof content === 'string' ? content : ''}\n\n${guidance}`
  return [...messages.slice(0, -1), { ...last, content: merged }]
}

export interface SplitConversation {
  /** The conversation without the guidance. */
  readonly messages: readonly ChatMessage[]
  readonly guidance: string | null
}

/** Separates the guidance from the messages an acting model was sent. */
export function splitGuidance(messages: readonly ChatMessage[]): SplitConversation {
  const last = messages.at(-1)
  if (last === undefined || !GUIDANCE_ROLES.includes(last.role)) return { messages, guidance: null }
  const { content } = last
  const before = messages.slice(0, -1)
  if (typeof content === 'string') {
    if (content.startsWith(GUIDANCE_MARK)) return { messages: before, guidance: content }
    const at = content.lastIndexOf(`\n\n${GUIDANCE_MARK}`)
    return at < 0
      ? { messages, guidance: null }
      : { messages: [...before, { ...last, content: content.slice(0, at) }], guidance: content.slice(at + 2) }
  }
  const text: unknown = Array.isArray(content) ? content.at(-1)?.text : undefined
  return typeof text === 'string' && text.startsWith(GUIDANCE_MARK)
    ? { messages: [...before, { ...last, content: (content as unknown[]).slice(0, -1) }], guidance: text }
    : { messages, guidance: null }
}

/**
 * Builds the guidance block that the acting model gets as its last message. Returns undefined if
 * there is nothing to pass on.
 */
export function formatGuidance({
  preset,
  aggregator,
  advice,
  missing,
  policy,
}: GuidanceOptions): string | null {
  const gone = policy === 'loud' && missing.length > 0 ? `Not available: ${missing.join(', ')}.` : ''
  if (advice.length === 0)
    return gone === ''
      ? null
      : `${GUIDANCE_MARK}${preset}: no reference could be asked. ${gone} Use your own judgement.]`
  const head = `${GUIDANCE_MARK}${preset}. You are the acting model, ${aggregator}. ${advice.length} ${advice.length === 1 ? 'reference advises' : 'references advise'}: ${advice.map(({ label }) => label).join(', ')}.`
  const order =
    'What follows is private context, not a message from the person: weigh it, do not quote it, and answer or call tools yourself.]'
  const sections = advice.map(({ label, text }, at) => `Reference ${at + 1} — ${label}\n${text}`)
  return [`${head} ${order}`, ...sections, ...(gone === '' ? [] : [gone])].join('\n\n')
}

/** The note that takes the place of missing advice. */
export const formatFailureNote = (kind: ErrorClass, message: string): string =>
  `[${kind === 'skipped' || kind === 'aborted' ? 'skipped' : 'failed'}: ${message}]`

/** An empty response still counts as an answer. */
export const nonEmptyText = (text: string): string => (text === '' ? '(empty response)' : text)
