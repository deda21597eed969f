import type { ContentBlock, Message, PastSession, SessionAgent, UnreadPart } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { columns, count, duration, plural } from '../../terminal/format.ts'
import { findSession, withSessions } from './access.ts'
import { dateTime, outsideText, plain, printable, sessionCostText, titleText, tokensText } from './format.ts'

export interface ShowOptions {
  readonly full?: boolean
}

interface Whole {
  readonly session: PastSession
  readonly agents: readonly SessionAgent[]
  readonly messages: readonly Message[]
  /** The number of unreadable parts, and the first few. */
  readonly unread: number
  readonly unread_parts: readonly UnreadPart[]
}

export async function show(context: Context, id: string, options: ShowOptions): Promise<void> {
  const whole = await withSessions(context, async (sessions): Promise<Whole> => {
    const session = await findSession(sessions, id)
    const messages: Message[] = []
    const parts: UnreadPart[] = []
    let agents: readonly SessionAgent[] = []
    let unread = 0
    for (let from: number | null = 0; from !== null; ) {
      const page = await sessions.transcript(session, from)
      messages.push(...page.messages)
      agents = page.agents
      unread += page.unread
      parts.push(...page.unread_parts)
      from = page.next
    }
    return { session, agents, messages, unread, unread_parts: parts.slice(0, MOST_NAMED) }
  })
  const { bold } = context.output.paint
  context.output.answer(
    [
      ...head(whole),
      ...whole.messages.flatMap((each) => lines(each, bold, options.full === true)),
      ...unreadLines(whole),
    ],
    whole,
  )
}

const MOST_NAMED = 20

function unreadLines({ unread, unread_parts: parts }: Whole): readonly string[] {
  if (unread === 0) return []
  const named = parts.map(({ place, reason }) => `  ${plain(place, 400)}: ${plain(reason, 400)}`)
  const more = unread - named.length
  return [
    '',
    `${plural(unread, 'part')} could not be read:`,
    ...named,
    ...(more > 0 ? [`  … and ${count(more)} more`] : []),
  ]
}

function head({ session, agents }: Whole): readonly string[] {
  const others = agents.filter(({ id }) => id !== 'main')
  return [
    titleText(session, 100),
    ...columns([
      ['session', `${plain(session.id, 100)} (${session.source})`],
      ['when', `${dateTime(session.started_at)} to ${dateTime(session.last_at)} UTC`],
      ['where', plain(session.cwd ?? '–', 100)],
      ...(session.host === undefined ? [] : [['computer', plain(session.host, 100)]]),
      ...(session.archived ? [['archived', `${session.source} deleted this session; Panoptes kept it`]] : []),
      ...(session.prompts_only
        ? [['prompts only', `${session.source} deleted the rest before Panoptes read this session`]]
        : []),
      ['model', plain(session.model ?? '–', 100)],
      [
        'messages',
        `${count(session.messages)}, ${plural(session.tool_calls, 'tool call')}, ${plural(session.errors, 'error')}`,
      ],
      ['tokens', session.prompts_only ? '–' : tokensText(session.spent)],
      ['cost', sessionCostText(session)],
      ...(session.prompts_only ? [] : [['outside', outsideOfSession(session)]]),
      ...(session.tags.length > 0 ? [['tags', session.tags.map((tag) => plain(tag, 64)).join(', ')]] : []),
      ...(session.note === null ? [] : [['note', plain(session.note, 400)]]),
      ...(others.length > 0
        ? [['agents', others.map((agent) => plain(agent.description ?? agent.id, 100)).join(', ')]]
        : []),
    ]),
  ]
}

const outsideOfSession = ({ outside_micro_usd: micro }: PastSession): string =>
  micro === null || micro === undefined
    ? 'unknown: the client does not report a session total, or its total lacks a price or is below the cost of its replies'
    : `${outsideText(micro)} for titles, summaries or compaction, from the client’s own total`

function lines(message: Message, bold: (text: string) => string, full: boolean): readonly string[] {
  const who = message.agent_id === 'main' ? message.role : `${message.role} (${plain(message.agent_id, 20)})`
  const mark = message.state === 'active' ? '' : `, ${message.state}`
  return [
    '',
    bold(`${dateTime(message.ts)}  ${who}${mark}`),
    ...message.content.flatMap((block) => blockLines(block, full)),
  ]
}

const FOLDED = 4
const WIDE = 160

/** Shortens long text to its first lines unless `full` is set. */
function blockLines(block: ContentBlock, full: boolean): readonly string[] {
  switch (block.type) {
    case 'text':
      return foldLines(block.text, '', full ? Number.POSITIVE_INFINITY : 40)
    case 'reasoning':
      return foldLines(block.text, '  │ ', full ? Number.POSITIVE_INFINITY : 2)
    case 'tool_call':
      return [
        `  → ${plain(block.tool, 40)} ${plain(JSON.stringify(block.input) ?? '', full ? 100_000 : WIDE)}`,
      ]
    case 'tool_result': {
      const took = block.duration_ms === null ? '' : ` in ${duration(block.duration_ms)}`
      const word = block.ok === false ? 'failed' : 'done'
      return [
        `  ← ${word}${took}`,
        ...foldLines(block.text, '    ', full ? Number.POSITIVE_INFINITY : FOLDED),
      ]
    }
    case 'image':
      return [`  [image ${plain(block.media_type ?? '', 100)}]`]
  }
}

function foldLines(text: string, indent: string, most: number): readonly string[] {
  const all = printable(text)
  const shown = all.slice(0, most).map((line) => indent + line)
  const more = all.length - shown.length
  return more > 0 ? [...shown, `${indent}… ${plural(more, 'more line')} (--full)`] : shown
}
