import type { ContentBlock, PastSession } from '@panoptes/schema'
import { markdownFence, markdownLine, markdownText } from '@panoptes/schema/shown'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import { costText } from '../cost.ts'
import { type Call, type Entry, isFailed, MAIN, type Part, type Thread, type ThreadTree } from './thread.ts'

const w = words.transcript
const TITLE = 200

/** Converts a session to Markdown. Text of agents is fenced so that it cannot end its block. */
export function toMarkdown(session: PastSession, { main, loose }: ThreadTree): string {
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
export const messageMarkdown = (entry: Entry): string => entryLines(entry, 2).join('\n\n')

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
