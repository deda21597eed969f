import type { Team } from '@panoptes/engine/ledger'
import {
  auditAsked,
  auditReply,
  FOR_OTHERS,
  newSpace,
  newToken,
  newTokenReply,
  newUser,
  type Result,
  role,
  space as spaceShape,
  spacesReply,
  type TeamUser,
  teamToken,
  teamTokensReply,
  teamUser,
  userChange,
  usersReply,
} from '@panoptes/schema'
import { z } from 'zod'
import type { Caller } from '../callers.ts'
import type { Kit } from '../kit.ts'
import { changeUser, endOf, inSpaceOnly, justAdded, ownerOfToken, takeOut } from '../people/changes.ts'
import type { People } from '../people/people.ts'
import { type Refusal, refusalOf } from '../problem.ts'
import { JSON_TYPE, json, type Reply, type Route, route } from '../route.ts'

const byId = z.object({ id: z.string() })

/** Who is in the space, by which tokens, and what they did. Whatever is asked is about the space of whoever asks. */
export const teamRoutes = (kit: Kit): readonly Route[] =>
  [...spaceRoutes(kit), ...userRoutes(kit), ...tokenRoutes(kit), auditRoute(kit)].map((each) =>
    unlessAlone(kit, each),
  )

/** Whatever is asked of a team where there is none is answered with that. */
export const unlessAlone = ({ people }: Kit, of: Route): Route =>
  people ? of : { ...of, answer: () => noTeam }

function spaceRoutes({ people }: Kit): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/team/spaces',
      scope: 'full',
      main: true,
      summary: 'All spaces.',
      reply: { type: JSON_TYPE, schema: spacesReply },
      answer: () =>
        inTeam(people, async ({ team }) => answered(await team.spaces(), (spaces) => ({ spaces }))),
    }),
    route({
      method: 'POST',
      path: '/api/team/spaces',
      scope: 'full',
      main: true,
      action: 'spaces.create',
      summary: 'Make a space. Whoever makes it is its first admin.',
      body: newSpace,
      reply: { type: JSON_TYPE, schema: spaceShape },
      answer: ({ body: { name }, caller, about }) =>
        inTeam(people, async ({ team, madeSpace }) => {
          about(name)
          const made = await team.createSpace(name)
          if (!made.ok) return refusalOf(made)
          const userId = caller?.identity?.user_id
          const first = userId ? await team.setRole(userId, name, 'admin') : undefined
          if (first && !first.ok) return refusalOf(first)
          madeSpace(name)
          return json(made.value)
        }),
    }),
  ]
}

function userRoutes({ people, space }: Kit): readonly Route[] {
  const shown = (result: Result<TeamUser>) => answered(result, (user) => inSpaceOnly(user, space))
  return [
    route({
      method: 'GET',
      path: '/api/team/users',
      scope: 'full',
      role: 'admin',
      summary: 'Who is in the space, and as what.',
      reply: { type: JSON_TYPE, schema: usersReply },
      answer: () =>
        inTeam(people, async ({ team }) =>
          answered(await team.users(space), (users) => ({
            users: users.map((each) => inSpaceOnly(each, space)),
          })),
        ),
    }),
    route({
      method: 'POST',
      path: '/api/team/users',
      scope: 'full',
      role: 'admin',
      action: 'users.create',
      summary: 'Take somebody into the space. They sign in with this address.',
      body: newUser,
      reply: { type: JSON_TYPE, schema: teamUser },
      answer: ({ body, about }) =>
        inTeam(people, async ({ team, changed }) => {
          about(`${body.email} ${body.role}`)
          const known = await team.findUser({ email: body.email })
          if (!known.ok) return refusalOf(known)
          const user = known.value ? { ok: true as const, value: known.value } : await team.createUser(body)
          if (!user.ok) return refusalOf(user)
          const put = await team.setRole(user.value.id, space, body.role)
          changed()
          const wasHere = known.value?.roles[space] !== undefined
          return wasHere ? shown(put) : answered(put, (user) => justAdded(user, body, space))
        }),
    }),
    route({
      method: 'PUT',
      path: '/api/team/users/:id',
      scope: 'full',
      role: 'admin',
      action: 'users.change',
      summary: 'Change the role of somebody in the space, their name, or whether they may sign in at all.',
      params: byId,
      body: userChange,
      reply: { type: JSON_TYPE, schema: teamUser },
      answer: ({ params: { id }, body, about }) =>
        inTeam(people, async ({ team, changed }) => {
          const done = await changeUser(team, space, id, body)
          if (done.ok) about(`${done.value.email} ${toldChange(body)}`)
          changed()
          return shown(done)
        }),
    }),
    route({
      method: 'DELETE',
      path: '/api/team/users/:id',
      scope: 'full',
      role: 'admin',
      action: 'users.remove',
      summary:
        'Take somebody out of the space, and end their tokens and sign-ins in it. What is theirs waits for them.',
      params: byId,
      reply: { type: JSON_TYPE, schema: z.object({ removed: z.literal(true) }) },
      answer: ({ params: { id }, about }) =>
        inTeam(people, async ({ team, changed }) => {
          const done = await takeOut(team, space, id)
          if (done.ok) about(done.value.email)
          changed()
          return answered(done, () => ({ removed: true }))
        }),
    }),
  ]
}

function tokenRoutes({ people, space }: Kit): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/team/tokens',
      scope: 'full',
      role: 'admin',
      summary:
        'The tokens of the space, also those that have ended. What they are is told only when they are made.',
      reply: { type: JSON_TYPE, schema: teamTokensReply },
      answer: () =>
        inTeam(people, async ({ team }) => answered(await team.tokens(space), (tokens) => ({ tokens }))),
    }),
    route({
      method: 'POST',
      path: '/api/team/tokens',
      scope: 'full',
      role: 'admin',
      action: 'tokens.create',
      summary:
        'Make a token of the space, of a machine or of somebody in it, never with more than their role; of somebody else only to send events. It is told this once.',
      body: newToken,
      reply: { type: JSON_TYPE, schema: newTokenReply },
      answer: ({ body, caller, about }) =>
        inTeam(people, async ({ team }) => {
          const { label, scope } = body
          about(`${label} ${scope} ${body.role}`)
          const owner = await ownerOfToken(team, space, body)
          if (!owner.ok) return refusalOf(owner)
          const { role: as, userId, email } = owner.value
          about([label, scope, as, email].filter((part) => part !== undefined).join(' '))
          if (actsAsAnother(body, caller)) return notTheirs
          const expiresAt = endOf(body.days)
          return answered(
            await team.createToken({ label, space, scope, role: as, userId, expiresAt }),
            (made) => made,
          )
        }),
    }),
    route({
      method: 'POST',
      path: '/api/team/tokens/:id/revoke',
      scope: 'full',
      role: 'admin',
      action: 'tokens.revoke',
      summary: 'End a token: at once here, within about a second at every other hub.',
      params: byId,
      reply: { type: JSON_TYPE, schema: teamToken },
      answer: ({ params: { id }, about }) =>
        inTeam(people, async ({ team, changed }) => {
          const revoked = await team.revokeToken(space, id)
          about(revoked.ok ? revoked.value.label : id.slice(0, 100))
          changed()
          return answered(revoked, (token) => token)
        }),
    }),
  ]
}

/** Whoever has made a token has it: one that is more than a machine’s would let an admin be somebody else. */
const actsAsAnother = (
  { scope, user_id: whose }: z.infer<typeof newToken>,
  caller: Caller | undefined,
): boolean => whose !== null && whose !== caller?.identity?.user_id && !FOR_OTHERS.includes(scope)

const notTheirs: Refusal = {
  status: 403,
  code: 'not_yours',
  title: 'Not for somebody else',
  detail:
    'Whoever made this token could act as that person: for somebody else only the scope ingest is given.',
  next: 'They make it themselves, in the page under Settings, or over POST /api/me/tokens. On the hub’s own machine: panoptes team tokens create --user.',
}

const auditRoute = ({ people, space }: Kit): Route =>
  route({
    method: 'GET',
    path: '/api/team/audit',
    scope: 'full',
    role: 'admin',
    summary: 'What people and tokens did in the space, or tried to; the newest first.',
    query: auditAsked,
    reply: { type: JSON_TYPE, schema: auditReply },
    answer: ({ query }) =>
      inTeam(people, async ({ team }) => answered(await team.audit({ ...query, space }), (page) => page)),
  })

const toldChange = ({ role: as, disabled, name }: z.infer<typeof userChange>): string =>
  [
    as === null ? 'out' : role.safeParse(as).data,
    disabled === undefined ? undefined : disabled ? 'disabled' : 'enabled',
    name === undefined ? undefined : 'name',
  ]
    .filter((part) => part !== undefined)
    .join(' ')

export const answered = <T>(result: Result<T>, shape: (value: T) => unknown): Reply =>
  result.ok ? json(shape(result.value)) : refusalOf(result)

/** There are people only in a team. */
export const inTeam = async (
  people: People | undefined,
  ask: (people: People & { readonly team: Team }) => Promise<Reply>,
): Promise<Reply> => (people ? ask(people) : noTeam)

const noTeam: Refusal = {
  status: 404,
  code: 'not_found',
  title: 'No team',
  detail: 'This is a computer of one person: there are no users, spaces or tokens of a team.',
  next: 'A team has a ledger in PostgreSQL: panoptes up --ledger postgres://…',
}
