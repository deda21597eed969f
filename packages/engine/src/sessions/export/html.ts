import { hash } from 'node:crypto'
import { markup, toVisible, toVisibleLine } from '@panoptes/engine/redact'
import type { ContentBlock, PastMessage } from '@panoptes/schema'
import { plural } from '@panoptes/schema/numbers'
import { sessionFacts } from './facts.ts'
import { durationWords, inputWords, money, spentWords, timeWords, tokenWords } from './format.ts'
import type { Unread } from './read-errors.ts'
import type { CallNames, Exported, Renderer } from './renderer.ts'

const DARK = `--app:#0b1120;--surface:#0f172a;--raised:#141e33;--line:#22304a;--text:#e6edf7;--text-2:#aebcd0;--text-3:#8b9bb3;--gold:#fbbf24;--user:#60a5fa;--done:#2dd4bf;--failed:#fb7185`
const LIGHT = `--app:#e9eef5;--surface:#ffffff;--raised:#f5f7fb;--line:#d8e0eb;--text:#0f172a;--text-2:#41506a;--text-3:#586680;--gold:#8a5a00;--user:#1d4ed8;--done:#0f766e;--failed:#be123c`

/** The style of an exported session: the page's own colours, dark or light as the reader's system. */
const STYLE = `
:root{color-scheme:dark light;${DARK}}
@media (prefers-color-scheme:light){:root{${LIGHT}}}
*{box-sizing:border-box}
body{margin:0;background:var(--app);color:var(--text);font:15px/22px Inter,ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
header,main{max-width:960px;margin:0 auto;padding:24px 16px}
h1{font-size:24px;line-height:30px;margin:0 0 16px;overflow-wrap:anywhere}
h1::before{content:"";display:block;width:40px;height:3px;border-radius:2px;background:var(--gold);margin-bottom:12px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 16px;margin:0;font-size:13px;line-height:20px}
dt{color:var(--text-3)}
dd{margin:0;color:var(--text-2);overflow-wrap:anywhere}
.note{border-left:3px solid var(--gold);padding:4px 12px;white-space:pre-wrap;overflow-wrap:anywhere}
main{padding-top:0}
article{background:var(--surface);border:1px solid var(--line);border-radius:12px;padding:12px 16px;margin:0 0 12px}
article.user{border-left:3px solid var(--user)}
article.assistant{border-left:3px solid var(--gold)}
h2{font-size:13px;line-height:20px;font-weight:600;margin:0 0 8px;text-transform:capitalize}
h2 small{font-size:12px;font-weight:400;color:var(--text-3);text-transform:none;font-variant-numeric:tabular-nums}
.text{white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:isolate}
details,p.call,p.result,p.thinking{background:var(--raised);border:1px solid var(--line);border-radius:8px;margin:8px 0;padding:0}
p.call,p.result,p.thinking{padding:8px 12px;font-size:13px}
summary{cursor:pointer;padding:8px 12px;font-size:13px;line-height:20px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
summary:focus-visible{outline:2px solid var(--gold);outline-offset:2px;border-radius:8px}
summary span{color:var(--text-3)}
.result.done>summary b{color:var(--done)}
.result.failed>summary b,p.failed b{color:var(--failed)}
.thinking>summary b{color:var(--text-2);font-style:italic}
pre{margin:0;padding:12px;border-top:1px solid var(--line);white-space:pre-wrap;overflow-wrap:anywhere;font:12px/18px "JetBrains Mono",ui-monospace,"SF Mono",Menlo,Consolas,monospace;unicode-bidi:isolate}
details.agent{background:var(--app);border-color:var(--gold);padding:0 12px;margin:0 0 12px}
details.agent>summary{padding-left:0}
details.agent[open]{padding-bottom:1px}
img{display:block;max-width:100%;height:auto;border:1px solid var(--line);border-radius:8px;margin:8px 0}
.image{color:var(--text-3);font-size:13px}
@media print{details>*{display:block}article{break-inside:avoid}}
`

/** The page runs no script and loads nothing: only this style and embedded images are allowed. */
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
      [agent.description, plural(agent.messages, 'message'), spentWords(agent.spent)]
        .filter(Boolean)
        .join(' · '),
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
  const rows = sessionFacts(session, [['Sub-agents', agentCount]])
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

const preview = (content: string): string => markup(toVisibleLine(content, PREVIEW))

const PICTURE = /^image\/(?:png|jpeg|gif|webp)$/
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

function imageHtml(type: string | null, data: string | null): string {
  if (type !== null && data !== null && PICTURE.test(type) && BASE64.test(data))
    return `<img alt="" src="data:${type};base64,${data}">`
  return `<p class="image">Image ${line(type ?? '')}</p>`
}

const line = (content: string): string => markup(toVisibleLine(content, MOST_LINE))
const text = (content: string): string => markup(toVisible(content))
