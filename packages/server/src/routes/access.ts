import { maskToken, TOKEN_SCOPES } from '@panoptes/engine/home'
import {
  browsersReply,
  confirmReply,
  confirmRequest,
  linkReply,
  revokedReply,
  tokenRevealReply,
  tokenRotateReply,
  tokenScope,
  tokensReply,
} from '@panoptes/schema'
import { z } from 'zod'
import type { AppContext } from '../app-context.ts'
import type { Caller } from '../authenticate.ts'
import { browserName } from '../browser-name.ts'
import { type Refusal, toRefusal } from '../problem.ts'
import { JSON_TYPE, json, type Reply, type Route, route } from '../route.ts'

const params = z.object({ scope: tokenScope })

export const accessRoutes = (context: AppContext): readonly Route[] => [
  ...tokenRoutes(context),
  ...browserRoutes(context),
  linkRoute(context),
  confirmRoute(context),
]

const tokenRoutes = ({ tokens, credentials, confirmations, stream }: AppContext): readonly Route[] => [
  route({
    method: 'GET',
    path: '/api/tokens',
    scope: 'full',
    home: true,
    summary: 'The tokens of this home, masked, with their last use since Panoptes started.',
    reply: { type: JSON_TYPE, schema: tokensReply },
    answer: () =>
      json({
        tokens: TOKEN_SCOPES.map((scope) => ({
          scope,
          masked: maskToken(tokens.read(scope)),
          last_used: credentials.lastUsed(scope),
        })),
      }),
  }),
  route({
    method: 'POST',
    path: '/api/tokens/:scope/reveal',
    scope: 'full',
    home: true,
    summary:
      'Show one token. A browser sees it once, after somebody confirms the browser’s code in a terminal.',
    params,
    reply: { type: JSON_TYPE, schema: tokenRevealReply },
    answer: ({ params: { scope }, caller }): Reply => {
      const revealToken = () => json({ scope, token: tokens.read(scope) })
      if (!isBrowser(caller)) return revealToken()
      const key = `reveal ${scope} ${caller.browser}`
      if (confirmations.take(key)) return revealToken()
      const confirmation = confirmations.ask(key, `a browser is shown the ${scope} token`)
      return confirmation === undefined ? tooManyAsk : confirmationRefusal(scope, confirmation.code)
    },
  }),
  route({
    method: 'POST',
    path: '/api/tokens/:scope/rotate',
    scope: 'full',
    home: true,
    summary:
      'Replace one token immediately. The requesting browser stays signed in; all others are signed out.',
    params,
    reply: { type: JSON_TYPE, schema: tokenRotateReply },
    answer: async ({ params: { scope }, caller, incoming: { headers } }) => {
      const rotated = await tokens.rotate(scope)
      if (!rotated.ok) return toRefusal(rotated)
      const asksBrowser = isBrowser(caller)
      const stay = scope === 'full' && asksBrowser
      const cookie = stay ? { 'set-cookie': credentials.signIn(browserName(headers['user-agent'])) } : {}
      if (scope === 'full') stream.recheck()
      return json(asksBrowser ? { scope } : { scope, token: rotated.value }, cookie)
    },
  }),
]

const browserRoutes = ({ browsers, stream }: AppContext): readonly Route[] => [
  route({
    method: 'GET',
    path: '/api/browsers',
    scope: 'full',
    home: true,
    summary:
      'Browsers that signed in with a link, with the time of sign-in and of the last use. Each stays signed in for 30 days.',
    reply: { type: JSON_TYPE, schema: browsersReply },
    answer: ({ caller }) =>
      json({ browsers: browsers.list().map((each) => ({ ...each, current: each.id === caller?.browser })) }),
  }),
  route({
    method: 'DELETE',
    path: '/api/browsers/:id',
    scope: 'full',
    home: true,
    summary: 'Sign out one browser immediately.',
    params: z.object({ id: z.string() }),
    reply: { type: JSON_TYPE, schema: revokedReply },
    answer: ({ params: { id } }) => {
      if (!browsers.revoke(id)) return noBrowser
      stream.recheck()
      return json({ revoked: 1 })
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/browsers',
    scope: 'full',
    home: true,
    summary: 'Sign out all browsers immediately.',
    reply: { type: JSON_TYPE, schema: revokedReply },
    answer: () => {
      const revoked = browsers.revokeAll()
      stream.recheck()
      return json({ revoked })
    },
  }),
]

const linkRoute = ({ links, address }: AppContext): Route =>
  route({
    method: 'POST',
    path: '/api/link',
    scope: 'full',
    home: true,
    summary: 'Create a link that signs in one browser within ten minutes. Browsers cannot call this.',
    reply: { type: JSON_TYPE, schema: linkReply },
    answer: ({ caller }): Reply => {
      if (isBrowser(caller)) return onlyInTerminal
      const { code, expiresAt } = links.make()
      return json({ link: `${address}/?link=${code}`, expires_at: expiresAt })
    },
  })

const confirmRoute = ({ confirmations }: AppContext): Route =>
  route({
    method: 'POST',
    path: '/api/confirm',
    scope: 'full',
    home: true,
    summary: 'Confirm a browser’s request by the code that it shows. Browsers cannot call this.',
    body: confirmRequest,
    reply: { type: JSON_TYPE, schema: confirmReply },
    answer: ({ body: { code }, caller }): Reply => {
      if (isBrowser(caller)) return onlyInTerminal
      const confirmed = confirmations.confirm(code)
      if (confirmed === 'limited') return tooManyCodes
      return confirmed === 'unknown' ? noCode : json({ confirmed: confirmed.what })
    },
  })

/**
 * A browser must confirm: its cookie may be stolen, and the browser sends it to every server on this computer that
 * it visits.
 */
const isBrowser = (caller: Caller | undefined): caller is Caller => caller?.via === 'cookie'

const confirmationRefusal = (scope: string, code: string): Refusal => ({
  status: 403,
  code: 'to_be_confirmed',
  title: 'Confirmation needed',
  detail: `To show the ${scope} token in this browser, run in a terminal: panoptes confirm ${code}`,
  next: 'Then repeat the request in the same browser. The code works once, within ten minutes.',
})

const onlyInTerminal: Refusal = {
  status: 403,
  code: 'only_in_terminal',
  title: 'Not possible from a browser',
  detail: 'Only a terminal with the token file of the home can do this.',
  next: 'Run "panoptes open" to get a link, or "panoptes confirm" to confirm a code.',
}

const noCode: Refusal = {
  status: 404,
  code: 'not_found',
  title: 'Not found',
  detail: 'No browser shows this code, or the code is older than ten minutes.',
  next: 'Enter the code that your browser shows now.',
}

const noBrowser: Refusal = {
  status: 404,
  code: 'not_found',
  title: 'Not found',
  detail: 'No signed-in browser has this id.',
  next: 'List browsers: panoptes browsers list',
}

const tooManyCodes: Refusal = {
  status: 429,
  code: 'too_many',
  title: 'Too many codes',
  detail: 'Too many wrong codes within a minute.',
  next: 'Wait a minute, then enter the code that your browser shows.',
  headers: { 'retry-after': '60' },
}

const tooManyAsk: Refusal = {
  ...tooManyCodes,
  detail: 'Too many browsers are waiting for confirmation.',
  next: 'Confirm one of them, or wait ten minutes.',
  headers: { 'retry-after': '600' },
}
