import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { escapeHtml, plainPage } from './plain-page.ts'

export interface SignInOffer {
  readonly headers: IncomingHttpHeaders
  /** The command as the user types it. */
  readonly command: string
  /** Only on a hub: the sign-in provider, null if there is none, and where the browser wanted to go. */
  readonly hub?: { readonly provider: string | null; readonly to: string } | undefined
}

const BECAUSE = {
  no_token: 'This browser is not signed in.',
  old_link: 'This link was already used, or is more than ten minutes old.',
  other_user: 'Another user of this computer opened this link. It signs in only the user who runs Panoptes.',
  too_many: 'Too many browsers are waiting for confirmation. Try again in ten minutes.',
  wrong_token: 'This token does not work here: it is invalid, it has expired, or it is not for the page.',
}

/** The page for a browser that is not signed in. With `next` the browser goes there at once. */
export function signInPage(
  { headers, command, hub }: SignInOffer,
  because: keyof typeof BECAUSE,
  next?: string | undefined,
): Response {
  const body = `<h1>Sign in to Panoptes</h1>
<p>${BECAUSE[because]}</p>
${hub ? hubForm(hub) : localInstructions(command)}`
  return plainPage({ status: because === 'other_user' ? 403 : 401, headers, title: 'Sign in', body, next })
}

const localInstructions = (command: string): string =>
  `<p>Run <code>${command} up</code> in a terminal and open the link it prints.</p>
<p>The link works once, within ten minutes. After that this browser stays signed in.</p>`

const hubForm = ({ provider, to }: NonNullable<SignInOffer['hub']>): string => `${
  provider === null
    ? ''
    : `<p><a class="go" href="/auth/sign-in?to=${encodeURIComponent(to)}">Sign in with ${escapeHtml(provider)}</a></p>
`
}<form method="post" action="/auth/token">
<label for="token">${provider === null ? 'A token of your space, from an admin of the team' : 'Or a token of your space'}</label>
<input id="token" name="token" type="password" autocomplete="off" required maxlength="200">
<button>Sign in with a token</button>
</form>`

const LOOKS_S = 2

/**
 * The page for a browser whose user is unknown. It shows a code, and the browser is signed in once somebody
 * confirms the code in a terminal.
 */
export const codePage = ({ headers, command }: SignInOffer, code: string, cookie: string): Response =>
  plainPage({
    status: 401,
    headers,
    title: 'Confirm',
    body: `<h1>Is this your browser?</h1>
<p>Panoptes cannot tell which user of the computer opened this link. Run this in a terminal, as the user who runs Panoptes:</p>
<p><code>${escapeHtml(command)} confirm ${escapeHtml(code)}</code></p>
<p>Confirm only the code that your own browser shows. This page then continues automatically. The code works once, within ten minutes.</p>`,
    again: { seconds: LOOKS_S },
    cookies: [cookie],
  })

/** Signs the browser in if it is not, and removes the code from its address bar. */
export function redirectSignedIn(...cookies: readonly string[]): Response {
  const answer = new Response(null, { status: 303, headers: { location: '/' } })
  for (const cookie of cookies) answer.headers.append('set-cookie', cookie)
  return answer
}

const LIFE_MS = 600_000
const MOST = 32

/** Links that sign a browser in. Each works once, for ten minutes; when there are too many, the oldest expires. */
export interface SignInLinks {
  readonly make: () => { readonly code: string; readonly expiresAt: number }
  readonly isOpen: (code: string) => boolean
  readonly redeem: (code: string) => boolean
}

export function createSignInLinks(now: () => number = Date.now): SignInLinks {
  const open = new Map<string, number>()
  return {
    make: () => {
      const code = randomBytes(24).toString('base64url')
      const expiresAt = now() + LIFE_MS
      open.set(code, expiresAt)
      for (const oldest of open.keys()) {
        if (open.size <= MOST) break
        open.delete(oldest)
      }
      return { code, expiresAt }
    },
    isOpen: (code) => now() <= (open.get(code) ?? Number.NEGATIVE_INFINITY),
    redeem: (code) => {
      const expiresAt = open.get(code)
      open.delete(code)
      return expiresAt !== undefined && now() <= expiresAt
    },
  }
}
