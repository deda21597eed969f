import { type Identity, newOwnToken, newTokenReply, teamToken, teamTokensReply } from '@panoptes/schema'
import { z } from 'zod'
import type { Caller } from '../callers.ts'
import type { Kit } from '../kit.ts'
import { endOf, ownerOfToken } from '../people/changes.ts'
import type { People } from '../people/people.ts'
import { notFound, type Refusal, refusalOf } from '../problem.ts'
import { JSON_TYPE, type Reply, type Route, route } from '../route.ts'
import { answered, inTeam, unlessAlone } from './team.ts'

/** What somebody's own scripts and computers come in by: nobody else makes what could act as them. */
export const ownTokenRoutes = (kit: Kit): readonly Route[] =>
  routesOf(kit).map((each) => unlessAlone(kit, each))

const routesOf = ({ people, space }: Kit): readonly Route[] => [
  route({
    method: 'GET',
    path: '/api/me/tokens',
    scope: 'full',
    summary: 'The tokens of whoever asks, in this space, also those that have ended.',
    reply: { type: JSON_TYPE, schema: teamTokensReply },
    answer: ({ caller }) =>
      asPerson(people, caller, async ({ team }, { user_id: id }) =>
        answered(await team.tokens(space), (all) => ({
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
      'Make a token of one’s own, in this space, never with more than one’s role. Made with a token it ends with it at the latest. It is told this once.',
    body: newOwnToken,
    reply: { type: JSON_TYPE, schema: newTokenReply },
    answer: ({ body: { label, scope, role, days }, caller, about }) =>
      asPerson(people, caller, async ({ team }, { user_id, token_id, expires_at: shownEnds }) => {
        about(`${label} ${scope} ${role}`)
        const owner = await ownerOfToken(team, space, { role, user_id })
        if (!owner.ok) return refusalOf(owner)
        about([label, scope, owner.value.role, owner.value.email].join(' '))
        const ends = [endOf(days), token_id === null ? null : shownEnds].filter((end) => end !== null)
        const expiresAt = ends.length === 0 ? null : Math.min(...ends)
        return answered(
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
    summary: 'End a token of one’s own: at once here, within about a second at every other hub.',
    params: z.object({ id: z.string() }),
    reply: { type: JSON_TYPE, schema: teamToken },
    answer: ({ params: { id }, caller, url, about }) =>
      asPerson(people, caller, async ({ team, changed }, { user_id }) => {
        const all = await team.tokens(space)
        if (!all.ok) return refusalOf(all)
        const own = all.value.find((token) => token.id === id && token.user_id === user_id)
        about(own?.label ?? id.slice(0, 100))
        if (!own) return notFound(url.pathname)
        const revoked = await team.revokeToken(space, id)
        changed()
        return answered(revoked, (token) => token)
      }),
  }),
]

type Person = Identity & { readonly user_id: string }

const asPerson = (
  people: People | undefined,
  caller: Caller | undefined,
  ask: (people: People, person: Person) => Promise<Reply>,
): Promise<Reply> =>
  inTeam(people, async (team) => {
    const { identity } = caller ?? {}
    return identity && identity.user_id !== null
      ? ask(team, { ...identity, user_id: identity.user_id })
      : nobodys
  })

const nobodys: Refusal = {
  status: 400,
  code: 'invalid',
  title: 'Bad request',
  detail: 'Only a person has tokens of their own: this request is a machine’s.',
  next: 'Sign in as a person, or make a machine’s token as an admin: POST /api/team/tokens.',
}
