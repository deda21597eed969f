import type { ContentBlock, PastMessage, PastSession, TranscriptReply } from '@panoptes/schema'
import { markdownFence, markdownLine, markdownText } from '@panoptes/schema/shown'
import { queryClient } from '../../api/client.ts'
import { getJson } from '../../api/request.ts'
import { copyText } from '../../design/copy-button.tsx'
import { toast } from '../../design/toast.tsx'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import { costText } from '../cost.ts'
import { errorText } from '../strips.tsx'
import { type SessionRef, sessionPath, wholeQuery } from './pages.ts'
import {
  type Arranged,
  arrange,
  type Call,
  type Entry,
  isFailed,
  MAIN,
  type Part,
  type Thread,
} from './thread.ts'

const PAGE = 1_000
const MOST_MESSAGES = 10_000
const w = words.transcript
const TITLE = 200

/** Copies the whole session, including messages that are not loaded yet. */
export const copySession = (ref: SessionRef): Promise<void> =>
  orSay(async () => {
    const messages: PastMessage[] = []
    let next: number | null = 0
    let last: TranscriptReply | undefined
    while (next !== null && messages.length < MOST_MESSAGES) {
      last = await getJson<TranscriptReply>(`${sessionPath(ref)}?from=${next}&limit=${PAGE}`)
      messages.push(...last.messages)
      next = last.next
    }
    if (!last) return
    const text = toMarkdown(last.session, arrange(messages, last.agents))
    const cut = next !== null || messages.some((message) => message.cut)
    await copyText(
      cut ? `${text}\n\n*${w.copyPart(messages.length)}*` : text,
      cut ? w.copiedPart(messages.length) : w.copied(messages.length),
    )
  })

/** Copies one message completely, with its calls and their results. */
export const copyEntry = (ref: SessionRef, entry: Entry): Promise<void> =>
  orSay(async () => {
    const whole = async (n: number) => queryClient.ensureQueryData(wholeQuery(ref, n))
    const message = entry.message.cut ? await whole(entry.n) : entry.message
    const calls = entry.parts.filter((part): part is Call => part.kind === 'call')
    const results: PastMessage[] = []
    for (const { result } of calls)
      if (result?.block.left_out !== undefined) results.push(await whole(result.n))
    const resultBlocks = calls.flatMap(({ result }) => result?.block ?? [])
    const answer: PastMessage = { ...message, n: entry.n + 1, role: 'tool', content: resultBlocks }
    const again = arrange([message, ...results, answer], []).threads.get(message.agent_id)
    await copyText(messageMarkdown(again?.entries[0] ?? entry), w.copied(1))
  })

async function orSay(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    toast({ text: error instanceof Error ? errorText(error) : w.failed, tone: 'failed' })
  }
}

/** Converts a session to Markdown. Text of agents is fenced so that it cannot end its block. */
export function toMarkdown(session: PastSession, { main, loose }: Arranged): string {
  const about = [session.project, session.source, session.model, costText(session.spent)]
  return [
    `# ${line(session.title ?? session.id)}`,
    about
      .filter((part) => part !== null)
      .map(line)
      .join(' · '),
    ...threadLines(main, 2),
    ...loose.flatMap((thread) => agentLines(thread, 2)),
  ].join('\n\n')
}

/** Converts one message to Markdown. */
const messageMarkdown = (entry: Entry): string => entryLines(entry, 2).join('\n\n')

const threadLines = (thread: Thread, level: number): readonly string[] =>
  thread.entries.flatMap((entry) => entryLines(entry, level))

function entryLines({ message, parts }: Entry, level: number): readonly string[] {
  const who = message.agent_id === MAIN ? w.roles[message.role] : `${message.agent_id}, ${message.role}`
  const time = message.ts === null ? '' : ` · ${f.clock(message.ts)}`
  const state = message.state === 'summary' ? [`*${w.summary}*`] : []
  return [
    `${'#'.repeat(Math.min(6, level))} ${line(who)}${time}`,
    ...state,
    ...parts.flatMap((part) => partLines(part, level)),
  ]
}

function partLines(part: Part, level: number): readonly string[] {
  return part.kind === 'call' ? callLines(part, level) : blockLines(part.block)
}

function callLines(call: Call, level: number): readonly string[] {
  const { block, result, made } = call
  return [
    `**${line(block.tool)}**${isFailed(call) ? ` ✕ ${w.callFailed}` : ''}`,
    markdownFence(JSON.stringify(block.input, null, 2) ?? '', 'json'),
    ...(result === null ? [] : [markdownFence(result.block.text)]),
    ...made.flatMap((thread) => agentLines(thread, level)),
  ]
}

const agentLines = (thread: Thread, level: number): readonly string[] => [
  `${'#'.repeat(Math.min(6, level + 1))} ${line(thread.agent.subagent_type ?? thread.agent.id)}, ${w.agent}`,
  ...threadLines(thread, level + 2),
]

function blockLines(block: ContentBlock): readonly string[] {
  if (block.type === 'text') return [markdownText(block.text)]
  if (block.type === 'reasoning') return [`*${w.thinking}*`, markdownFence(block.text)]
  if (block.type === 'image') return [`*${line(w.image(block.media_type, null))}*`]
  return block.type === 'tool_result' ? [markdownFence(block.text)] : []
}

const line = (text: string): string => markdownLine(text, TITLE)
