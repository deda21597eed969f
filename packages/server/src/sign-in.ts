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
`

const STYLE_HASH = hash('sha256', STYLE, 'base64')

const EYE =
  '<svg viewBox="0 0 48 48" fill="none" aria-hidden="true"><circle cx="24" cy="24" r="22" stroke="#34455f" stroke-width="1.5"/><circle cx="24" cy="24" r="14" stroke="#8b9bb3" stroke-width="1.5"/><circle cx="24" cy="24" r="6" fill="#fbbf24"/></svg>'

const page = (first: string, command: string, next: string | undefined): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${next === undefined ? '' : `<meta http-equiv="refresh" content="0;url=${next}">`}<link rel="icon" href="data:,">
<title>Sign in · Panoptes</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${EYE}
<h1>Sign in to Panoptes</h1>
<p>${first}</p>
<p>Run <code>${command} up</code> in a terminal and open the link it prints.</p>
<p>The link works once, within ten minutes. After that this browser stays signed in.</p>
</main>
</body>
</html>
`

/** What a browser sees that is not signed in; `next` is where it is sent on at once. */
export function signInPage(
  { headers, command }: { readonly headers: IncomingHttpHeaders; readonly command: string },
  because: 'no_token' | 'old_link',
  next?: string | undefined,
): Response {
  const first =
    because === 'old_link'
      ? 'This link was used already, or is older than ten minutes.'
      : 'This browser is not signed in.'
  return new Response(page(first, command, next), {
    status: 401,
    headers: { ...securityHeaders(headers.host, STYLE_HASH), 'content-type': 'text/html; charset=utf-8' },
  })
}

/** Signs the browser in and takes the code out of its address bar. */
export const signedIn = (cookie: string): Response =>
  new Response(null, { status: 303, headers: { location: '/', 'set-cookie': cookie } })
