import { hash } from 'node:crypto'
import { markup, visible, visibleLine } from '@panoptes/engine/redact'
import type { ContentBlock, PastMessage } from '@panoptes/schema'
import { factsOf } from './facts.ts'
import type { CallNames, Exported, Renderer } from './renderer.ts'
import { STYLE } from './style.ts'
import type { Unread } from './unread.ts'
import { durationWords, inputWords, money, spentWords, timeWords, tokenWords } from './words.ts'

/** Nothing runs and nothing is loaded: only this style and pictures that are in the page. */
const POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; img-src data:; base-uri 'none'; form-action 'none'`

const MOST_LINE = 200
const PREVIEW = 120

export const html: Renderer = {
  nested: true,
  head,
  message: (message, _depth, calls) =>
    `<article class="${message.role}">${heading(message)}${message.content.map((block) => blockHtml(block, calls)).join('')}</article>\n`,
  agentBegins: (agent) =>
    `<details class="agent"><summary><b>${line(agent.subagent_type ?? agent.id)}</b> <span>${line(
      [agent.description, `${agent.messages} messages`, spentWords(agent.spent)].filter(Boolean).join(' · '),
    )}</span></summary>\n`,
  agentEnds: () => '</details>\n',
  foot: (unread) => `${unreadHtml(unread)}</main></body></html>\n`,
}

function unreadHtml(unread: Unread): string {
  if (unread.count === 0) return ''
  const named = unread.parts.map(({ place, reason }) => `${place}: ${reason}`).join('\n')
  return `${fold('result failed', unread.words(), '', named)}\n`
}

function head({ session, agents }: Exported): string {
  const title = line(session.title ?? session.id)
  const agentCount = agents.length > 1 ? String(agents.length - 1) : ''
  const rows = factsOf(session, [['Sub-agents', agentCount]])
    .map(([name, fact]) => `<dt>${name}</dt><dd>${line(fact)}</dd>`)
    .join('')
  const note = session.note === null ? '' : `<p class="note">${text(session.note)}</p>`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title><style>${STYLE}</style></head>
<body><header><h1>${title}</h1><dl>${rows}</dl>${note}</header><main>
`
}

function heading(message: PastMessage): string {
  const facts = [
    message.state === 'active' ? '' : message.state,
    timeWords(message.ts),
    message.model ?? '',
    message.usage === null ? '' : tokenWords(message.usage),
    message.usage === null ? '' : money(message.cost_micro_usd),
  ]
  return `<h2>${message.role} <small>${line(facts.filter((fact) => fact !== '').join(' · '))}</small></h2>`
}

function blockHtml(block: ContentBlock, calls: CallNames): string {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? '' : `<div class="text" dir="auto">${text(block.text)}</div>`
    case 'reasoning':
      return block.text === '' ? '' : fold('thinking', 'Thinking', preview(block.text), block.text)
    case 'tool_call': {
      const input = inputWords(block.input)
      return fold('call', line(block.tool), preview(input), input)
    }
    case 'tool_result': {
      const took = durationWords(block.duration_ms)
      const state = block.ok === false ? 'failed' : 'done'
      const name = `${line(calls.get(block.id)?.tool ?? 'tool')} ${state}${took === '' ? '' : ` in ${took}`}`
      return fold(`result ${state}`, name, preview(block.text), block.text)
    }
    case 'image':
      return imageHtml(block.media_type, block.data)
  }
}

const fold = (kind: string, name: string, about: string, content: string): string =>
  content === ''
    ? `<p class="${kind}"><b>${name}</b></p>`
    : `<details class="${kind}"><summary><b>${name}</b> <span>${about}</span></summary><pre dir="auto">${text(content)}</pre></details>`

const preview = (content: string): string => markup(visibleLine(content, PREVIEW))

const PICTURE = /^image\/(?:png|jpeg|gif|webp)$/
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

function imageHtml(type: string | null, data: string | null): string {
  if (type !== null && data !== null && PICTURE.test(type) && BASE64.test(data))
    return `<img alt="" src="data:${type};base64,${data}">`
  return `<p class="image">Image ${line(type ?? '')}</p>`
}

const line = (content: string): string => markup(visibleLine(content, MOST_LINE))
const text = (content: string): string => markup(visible(content))
