import type { ContentBlock, PastAgent, PastMessage } from '@panoptes/schema'
import { markdownFence, markdownLine, markdownQuote } from '@panoptes/schema/shown'
import { sessionFacts } from './facts.ts'
import { durationWords, inputWords, money, spentWords, timeWords, tokenWords } from './format.ts'
import type { Unread } from './read-errors.ts'
import type { CallNames, Exported, Renderer } from './renderer.ts'

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
  agentEnds: (agent, depth) => paragraphs([`*${'—'.repeat(depth)} end of ${line(agentName(agent))}*`]),
  foot,
}

function foot(unread: Unread): string {
  if (unread.count === 0) return ''
  const named = unread.parts.map(({ place, reason }) => `- ${line(place)}: ${line(reason)}`)
  return paragraphs([heading(2, unread.words()), named.join('\n')])
}

function head({ session }: Exported): string {
  const listed = sessionFacts(session).map(([name, fact]) => `- ${name}: ${line(fact)}`)
  return paragraphs([
    heading(1, line(session.title ?? session.id)),
    listed.join('\n'),
    ...(session.note === null ? [] : [markdownQuote(session.note)]),
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

const agentName = (agent: PastAgent): string => agent.subagent_type ?? agent.id

const agentAbout = (agent: PastAgent): string =>
  [`Sub-agent ${line(agentName(agent))}`, line(agent.description ?? ''), spentWords(agent.spent)]
    .filter((part) => part !== '')
    .join(' · ')

function blockText(block: ContentBlock, calls: CallNames): string {
  switch (block.type) {
    case 'text':
      return markdownQuote(block.text)
    case 'reasoning':
      return block.text === '' ? '' : `*Thinking*\n\n${markdownFence(block.text)}`
    case 'tool_call':
      return `**${line(block.tool)}** called with\n\n${markdownFence(inputWords(block.input))}`
    case 'tool_result': {
      const took = durationWords(block.duration_ms)
      const state = block.ok === false ? 'failed' : 'gave'
      const tool = line(calls.get(block.id)?.tool ?? 'tool')
      return `**${tool}** ${state}${took === '' ? '' : ` after ${took}`}\n\n${markdownFence(block.text)}`
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

const line = (text: string): string => markdownLine(text, MOST_LINE)
