import type { ContentBlock, PastSession } from '@panoptes/schema'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import { costText } from '../cost.ts'
import { oneLine, seen } from '../plain.ts'
import { type Arranged, type Call, type Entry, isFailed, MAIN, type Part, type Thread } from './thread.ts'

const w = words.transcript
const TITLE = 200

/** A session as Markdown. What agents wrote cannot end the block it stands in. */
export function markdownOf(session: PastSession, { main, loose }: Arranged): string {
  const about = [session.project, session.source, session.model, costText(session.spent)]
  return [
    `# ${oneLine(session.title ?? session.id, TITLE)}`,
    about.filter((part) => part !== null).join(' · '),
    ...threadLines(main, 2),
    ...loose.flatMap((thread) => agentLines(thread, 2)),
  ].join('\n\n')
}

/** One message as Markdown. */
export const messageMarkdown = (entry: Entry): string => entryLines(entry, 2).join('\n\n')

const threadLines = (thread: Thread, level: number): readonly string[] =>
  thread.entries.flatMap((entry) => entryLines(entry, level))

function entryLines({ message, parts }: Entry, level: number): readonly string[] {
  const who = message.agent_id === MAIN ? w.roles[message.role] : `${message.agent_id}, ${message.role}`
  const time = message.ts === null ? '' : ` · ${f.clock(message.ts)}`
  const state = message.state === 'summary' ? [`*${w.summary}*`] : []
  return [
    `${'#'.repeat(Math.min(6, level))} ${oneLine(who, TITLE)}${time}`,
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
    `**${oneLine(block.tool, TITLE)}**${isFailed(call) ? ` ✕ ${w.callFailed}` : ''}`,
    fenced(JSON.stringify(block.input, null, 2) ?? '', 'json'),
    ...(result === null ? [] : [fenced(result.block.text)]),
    ...made.flatMap((thread) => agentLines(thread, level)),
  ]
}

const agentLines = (thread: Thread, level: number): readonly string[] => [
  `${'#'.repeat(Math.min(6, level + 1))} ${oneLine(thread.agent.subagent_type ?? thread.agent.id, TITLE)}, ${w.agent}`,
  ...threadLines(thread, level + 2),
]

function blockLines(block: ContentBlock): readonly string[] {
  if (block.type === 'text') return [seen(block.text)]
  if (block.type === 'reasoning') return [`*${w.thinking}*`, fenced(block.text)]
  if (block.type === 'image') return [`*${w.image(block.media_type, null)}*`]
  return block.type === 'tool_result' ? [fenced(block.text)] : []
}

/** A fence longer than any in the text. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${seen(text)}\n${fence}`
}
