import { maskToken, TOKEN_SCOPES } from '@panoptes/engine/home'
import { linkReply, tokenRevealReply, tokenScope, tokensReply } from '@panoptes/schema'
import { z } from 'zod'
import type { Kit } from '../kit.ts'
import { refusalOf } from '../problem.ts'
import { JSON_TYPE, json, type Route, route } from '../route.ts'

const params = z.object({ scope: tokenScope })

export const accessRoutes = ({ tokens, credentials, links, stream, address }: Kit): readonly Route[] => [
  route({
    method: 'GET',
    path: '/api/tokens',
    scope: 'full',
    home: true,
    summary: 'The tokens, masked, and when each was last used since the start.',
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
    summary: 'Show one token.',
    params,
    reply: { type: JSON_TYPE, schema: tokenRevealReply },
    answer: ({ params: { scope } }) => json({ scope, token: tokens.read(scope) }),
  }),
  route({
    method: 'POST',
    path: '/api/tokens/:scope/rotate',
    scope: 'full',
    home: true,
    summary: 'Replace one token at once. The browser that asks stays signed in; every other one does not.',
    params,
    reply: { type: JSON_TYPE, schema: tokenRevealReply },
    answer: async ({ params: { scope }, caller }) => {
      const rotated = await tokens.rotate(scope)
      if (!rotated.ok) return refusalOf(rotated)
      if (scope === 'full') stream.recheck()
      const stay = scope === 'full' && caller?.via === 'cookie'
      return json({ scope, token: rotated.value }, stay ? { 'set-cookie': credentials.cookie() } : {})
    },
  }),
  route({
    method: 'POST',
    path: '/api/link',
    scope: 'full',
    home: true,
    summary: 'Make a link that signs a browser in, once, within ten minutes.',
    reply: { type: JSON_TYPE, schema: linkReply },
    answer: () => {
      const { code, expiresAt } = links.make()
      return json({ link: `${address}/?link=${code}`, expires_at: expiresAt })
    },
  }),
]
