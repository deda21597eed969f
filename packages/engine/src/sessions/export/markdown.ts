import { visible, visibleLine } from '@panoptes/engine/redact'
import type { ContentBlock, PastAgent, PastMessage } from '@panoptes/schema'
import { factsOf } from './facts.ts'
import type { CallNames, Exported, Renderer } from './renderer.ts'
import type { Unread } from './unread.ts'
import { durationWords, inputWords, money, spentWords, timeWords, tokenWords } from './words.ts'

const MOST_LINE = 200

export const markdown: Renderer = {
  nested: true,
  head,
  message: (message, depth, calls) =>
    paragraphs([
      heading(depth + 2, about(message)),
      ...message.content.map((block) => blockText(block, calls)),
    ]),
  agentBegins: (agent, depth) => paragraphs([heading(depth + 1, agentAbout(agent))]),
  agentEnds: (agent, depth) => paragraphs([`*${'—'.repeat(depth)} end of ${line(nameOf(agent))}*`]),
  foot,
}

function foot(unread: Unread): string {
  if (unread.count === 0) return ''
  const named = unread.parts.map(({ place, reason }) => `- ${line(place)}: ${line(reason)}`)
  return paragraphs([heading(2, unread.words()), named.join('\n')])
}

function head({ session }: Exported): string {
  const listed = factsOf(session).map(([name, fact]) => `- ${name}: ${line(fact)}`)
  return paragraphs([
    heading(1, line(session.title ?? session.id)),
    listed.join('\n'),
    ...(session.note === null ? [] : [quoted(session.note)]),
  ])
}

function about(message: PastMessage): string {
  const tokens = message.usage === null ? '' : tokenWords(message.usage)
  return [
    message.role,
    message.state === 'active' ? '' : message.state,
    timeWords(message.ts),
    message.model === null ? '' : line(message.model),
    tokens,
    message.usage === null ? '' : money(message.cost_micro_usd),
  ]
    .filter((part) => part !== '')
    .join(' · ')
}

const nameOf = (agent: PastAgent): string => agent.subagent_type ?? agent.id

const agentAbout = (agent: PastAgent): string =>
  [`Sub-agent ${line(nameOf(agent))}`, line(agent.description ?? ''), spentWords(agent.spent)]
    .filter((part) => part !== '')
    .join(' · ')

function blockText(block: ContentBlock, calls: CallNames): string {
  switch (block.type) {
    case 'text':
      return quoted(block.text)
    case 'reasoning':
      return block.text === '' ? '' : `*Thinking*\n\n${fenced(block.text)}`
    case 'tool_call':
      return `**${line(block.tool)}** called with\n\n${fenced(inputWords(block.input))}`
    case 'tool_result': {
      const took = durationWords(block.duration_ms)
      const state = block.ok === false ? 'failed' : 'gave'
      const tool = line(calls.get(block.id)?.tool ?? 'tool')
      return `**${tool}** ${state}${took === '' ? '' : ` after ${took}`}\n\n${fenced(block.text)}`
    }
    case 'image':
      return `*Image ${line(block.media_type ?? '')}*`
  }
}

const paragraphs = (parts: readonly string[]): string =>
  parts
    .filter((part) => part !== '')
    .map((part) => `${part}\n\n`)
    .join('')

const heading = (level: number, text: string): string => `${'#'.repeat(Math.min(6, level))} ${text}`

/** One line in which nothing is Markdown. */
const line = (text: string): string =>
  visibleLine(text, MOST_LINE).replace(/[\\`*_{}[\]<>()#+!|~$&]/g, '\\$&')

/** What would be shown as something else than text: markup, pictures, links to anything but the web. */
const RISKY = /<[a-z/!?]|!\[|\]:|\]\((?!https?:\/\/)|&#?\w+;/i

/** What was said, as the Markdown that it is. A quotation ends where its lines end, whatever stands in it. */
function quoted(text: string): string {
  const shown = visible(text)
  if (shown.trim() === '') return ''
  return RISKY.test(shown) ? fenced(text) : shown.replace(/^/gm, '> ')
}

/** A fence longer than any in the text. */
function fenced(text: string): string {
  const shown = visible(text)
  let longest = 2
  for (const [run] of shown.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length)
  const fence = '`'.repeat(longest + 1)
  return `${fence}text\n${shown}\n${fence}`
}
