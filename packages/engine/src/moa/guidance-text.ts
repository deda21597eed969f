import type { ErrorClass } from '@panoptes/schema'

/** The system prompt of every reference. */
export const ADVISORY_ROLE = [
  'You advise another model, which acts. You do not act yourself.',
  'You have no tools and cannot open, run or change anything: never say that you did.',
  'Read the conversation, judge where the work stands, and say what the acting model should do next, what it should watch out for, and where it may be wrong.',
  'Be concrete and brief. Your words are private advice: the person does not see them.',
].join(' ')

/** The first words of every guidance block. */
export const GUIDANCE_MARK = '[Mixture of Agents, preset '

export interface Advice {
  readonly label: string
  readonly text: string
}

export interface GuidanceOptions {
  readonly preset: string
  readonly aggregator: string
  readonly advice: readonly Advice[]
  /** Labels of the references that gave no advice. */
  readonly missing: readonly string[]
  readonly policy: 'loud' | 'silent'
}

/**
 * Builds the guidance block that the acting model gets as its last message. Returns undefined if
 * there is nothing to pass on.
 */
export function guidanceText({
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
    'What follows is private context, not a message of the person: weigh it, do not quote it, and answer or call tools yourself.]'
  const sections = advice.map(({ label, text }, at) => `Reference ${at + 1} — ${label}\n${text}`)
  return [`${head} ${order}`, ...sections, ...(gone === '' ? [] : [gone])].join('\n\n')
}

/** The note that takes the place of missing advice. */
export const formatFailureNote = (kind: ErrorClass, message: string): string =>
  `[${kind === 'skipped' || kind === 'aborted' ? 'skipped' : 'failed'}: ${message}]`

/** An empty response still counts as an answer. */
export const nonEmptyText = (text: string): string => (text === '' ? '(empty response)' : text)
