import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { securityHeaders } from './headers.ts'

const STYLE = `
:root { color-scheme: dark light; --app: #0b1120; --card: #0f172a; --line: #22304a; --text: #e6edf7; --dim: #aebcd0; --gold: #fbbf24; }
@media (prefers-color-scheme: light) { :root { --app: #e9eef5; --card: #fff; --line: #d8e0eb; --text: #0f172a; --dim: #41506a; --gold: #8a5a00; } }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--app); color: var(--text); font: 15px/22px Inter, system-ui, sans-serif; }
main { max-width: 26rem; margin: 24px; padding: 32px; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
svg { display: block; width: 48px; height: 48px; }
h1 { margin: 16px 0 8px; font-size: 18px; line-height: 24px; font-weight: 600; }
p { margin: 0 0 12px; color: var(--dim); }
p:last-child { margin: 0; }
code { padding: 2px 6px; border: 1px solid var(--line); border-radius: 6px; color: var(--gold); font: 13px/20px ui-monospace, monospace; }
a.go, button { display: inline-block; padding: 8px 16px; border: 1px solid var(--gold); border-radius: 8px; background: none; color: var(--gold); font: inherit; text-decoration: none; cursor: pointer; }
label { display: block; margin: 0 0 4px; color: var(--dim); }
input { box-sizing: border-box; width: 100%; margin: 0 0 12px; padding: 8px; border: 1px solid var(--line); border-radius: 8px; background: var(--app); color: var(--text); font: 13px/20px ui-monospace, monospace; }
`

const STYLE_HASH = hash('sha256', STYLE, 'base64')

const EYE =
  '<svg viewBox="0 0 48 48" fill="none" aria-hidden="true"><circle cx="24" cy="24" r="22" stroke="#34455f" stroke-width="1.5"/><circle cx="24" cy="24" r="14" stroke="#8b9bb3" stroke-width="1.5"/><circle cx="24" cy="24" r="6" fill="#fbbf24"/></svg>'

export interface PlainPage {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly title: string
  /** HTML in which every text from outside is `escaped`. */
  readonly body: string
  /** Where the browser goes on to at once. */
  readonly next?: string | undefined
  /** When the browser reloads, and at which other address of this server. */
  readonly again?: { readonly seconds: number; readonly at?: string }
  readonly cookies?: readonly string[]
}

/** A page without scripts, for a browser that is not signed in. */
export function plainPage(page: PlainPage): Response {
  const { status, headers, title, body, cookies = [] } = page
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${refreshTag(page)}<link rel="icon" href="data:,">
<title>${title} · Panoptes</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${EYE}
${body}
</main>
</body>
</html>
`
  const form = body.includes('<form') ? 'own' : 'none'
  const answer = new Response(html, {
    status,
    headers: {
      ...securityHeaders(headers.host, STYLE_HASH, form),
      'content-type': 'text/html; charset=utf-8',
    },
  })
  for (const cookie of cookies) answer.headers.append('set-cookie', cookie)
  return answer
}

function refreshTag({ next, again }: PlainPage): string {
  const { seconds, at } = next === undefined ? { ...again } : { seconds: 0, at: next }
  if (seconds === undefined) return ''
  return `<meta http-equiv="refresh" content="${seconds}${at === undefined ? '' : `;url=${escapeHtml(at)}`}">`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] as string)
