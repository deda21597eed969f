import { type Identity, newOwnToken, newTokenReply, teamToken, teamTokensReply } from '@panoptes/schema'
import { z } from 'zod'
import type { AppContext } from '../app-context.ts'
import type { People } from '../auth/people.ts'
import { findTokenOwner, toExpiry } from '../auth/user-changes.ts'
import type { Caller } from '../authenticate.ts'
import { notFound, type Refusal, toRefusal } from '../problem.ts'
import { JSON_TYPE, type Reply, type Route, route } from '../route.ts'
import { requireTeam, toReply, withTeam } from './team.ts'

/** A person's own tokens for scripts and computers. Nobody else can create a token that acts as them. */
export const ownTokenRoutes = (context: AppContext): readonly Route[] =>
  tokenRoutes(context).map((each) => requireTeam(context, each))

const tokenRoutes = ({ people, space }: AppContext): readonly Route[] => [
  route({
    method: 'GET',
    path: '/api/me/tokens',
    scope: 'full',
    summary: 'The caller’s own tokens in this space, including expired and revoked ones.',
    reply: { type: JSON_TYPE, schema: teamTokensReply },
    answer: ({ caller }) =>
      withPerson(people, caller, async ({ team }, { user_id: id }) =>
        toReply(await team.tokens(space), (all) => ({
          tokens: all.filter((token) => token.user_id === id),
        })),
      ),
  }),
  route({
    method: 'POST',
    path: '/api/me/tokens',
    scope: 'full',
    role: 'viewer',
    action: 'tokens.create',
    summary:
      'Create a token for yourself in this space, with your role at most. If you create it with another token, it expires no later than that one. The response is the only time it is shown.',
    body: newOwnToken,
    reply: { type: JSON_TYPE, schema: newTokenReply },
    answer: ({ body: { label, scope, role, days }, caller, setTarget }) =>
      withPerson(people, caller, async ({ team }, { user_id, token_id, expires_at: shownEnds }) => {
        setTarget(`${label} ${scope} ${role}`)
        const owner = await findTokenOwner(team, space, { role, user_id })
        if (!owner.ok) return toRefusal(owner)
        setTarget([label, scope, owner.value.role, owner.value.email].join(' '))
        const ends = [toExpiry(days), token_id === null ? null : shownEnds].filter((end) => end !== null)
        const expiresAt = ends.length === 0 ? null : Math.min(...ends)
        return toReply(
          await team.createToken({ label, space, scope, role: owner.value.role, userId: user_id, expiresAt }),
          (made) => made,
        )
      }),
  }),
  route({
    method: 'POST',
    path: '/api/me/tokens/:id/revoke',
    scope: 'full',
    role: 'viewer',
    action: 'tokens.revoke',
    summary:
      'Revoke one of your tokens. It stops working immediately on this hub, and within about a second on others.',
    params: z.object({ id: z.string() }),
    reply: { type: JSON_TYPE, schema: teamToken },
    answer: ({ params: { id }, caller, url, setTarget }) =>
      withPerson(people, caller, async ({ team, recheckAccess: changed }, { user_id }) => {
        const all = await team.tokens(space)
        if (!all.ok) return toRefusal(all)
        const own = all.value.find((token) => token.id === id && token.user_id === user_id)
        setTarget(own?.label ?? id.slice(0, 100))
        if (!own) return notFound(url.pathname)
        const revoked = await team.revokeToken(space, id)
        changed()
        return toReply(revoked, (token) => token)
      }),
  }),
]

type Person = Identity & { readonly user_id: string }

const withPerson = (
  people: People | undefined,
  caller: Caller | undefined,
  ask: (people: People, person: Person) => Promise<Reply>,
): Promise<Reply> =>
  withTeam(people, async (team) => {
    const { identity } = caller ?? {}
    return identity && identity.user_id !== null
      ? ask(team, { ...identity, user_id: identity.user_id })
      : nobodys
  })

const nobodys: Refusal = {
  status: 400,
  code: 'invalid',
  title: 'Bad request',
  detail: 'Only people have tokens of their own, and this request came from a machine.',
  next: 'Sign in as a person. Admins create tokens for machines with POST /api/team/tokens.',
}
