import type { IncomingHttpHeaders } from 'node:http'
import { escaped, plainPage } from './pages.ts'

export interface SignInOffer {
  readonly headers: IncomingHttpHeaders
  /** What is typed here for the command. */
  readonly command: string
  /** On a hub: the provider that people sign in with, null where there is none, and where they wanted to go. */
  readonly hub?: { readonly provider: string | null; readonly to: string } | undefined
}

const BECAUSE = {
  no_token: 'This browser is not signed in.',
  old_link: 'This link was used already, or is older than ten minutes.',
  wrong_token: 'This token is not good here: it is wrong, it has ended, or it is not one for the page.',
}

/** What a browser sees that is not signed in; `next` is where it is sent on at once. */
export function signInPage(
  { headers, command, hub }: SignInOffer,
  because: keyof typeof BECAUSE,
  next?: string | undefined,
): Response {
  const body = `<h1>Sign in to Panoptes</h1>
<p>${BECAUSE[because]}</p>
${hub ? hubOffer(hub) : ownOffer(command)}`
  return plainPage({ status: 401, headers, title: 'Sign in', body, next })
}

const ownOffer = (command: string): string =>
  `<p>Run <code>${command} up</code> in a terminal and open the link it prints.</p>
<p>The link works once, within ten minutes. After that this browser stays signed in.</p>`

const hubOffer = ({ provider, to }: NonNullable<SignInOffer['hub']>): string => `${
  provider === null
    ? ''
    : `<p><a class="go" href="/auth/sign-in?to=${encodeURIComponent(to)}">Sign in with ${escaped(provider)}</a></p>
`
}<form method="post" action="/auth/token">
<label for="token">${provider === null ? 'A token of your space, from an admin of the team' : 'Or a token of your space'}</label>
<input id="token" name="token" type="password" autocomplete="off" required maxlength="200">
<button>Sign in with a token</button>
</form>`

/** Signs the browser in, where it is not, and takes the code out of its address bar. */
export const signedIn = (cookie?: string): Response =>
  new Response(null, {
    status: 303,
    headers: { location: '/', ...(cookie === undefined ? {} : { 'set-cookie': cookie }) },
  })
