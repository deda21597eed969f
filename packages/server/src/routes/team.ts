import type { Team } from '@panoptes/engine/store'
import {
  auditQuery,
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
  success,
  teamToken,
  teamTokensReply,
  teamUser,
  userChange,
  usersReply,
} from '@panoptes/schema'
import { z } from 'zod'
import type { AppContext } from '../app-context.ts'
import type { People } from '../auth/people.ts'
import {
  changeUser,
  describeAddedUser,
  findTokenOwner,
  removeFromSpace,
  toExpiry,
} from '../auth/user-changes.ts'
import type { Caller } from '../authenticate.ts'
import { type Refusal, toRefusal } from '../problem.ts'
import { idParams, JSON_TYPE, json, type Reply, type Route, route } from '../route.ts'

/** Members, tokens and the audit log of a space. Each request is about the caller's own space. */
export const teamRoutes = (context: AppContext): readonly Route[] =>
  [...spaceRoutes(context), ...userRoutes(context), ...tokenRoutes(context), auditRoute(context)].map(
    (each) => requireTeam(context, each),
  )

/** Refuses a team route on a server without a team. */
export const requireTeam = ({ people }: AppContext, of: Route): Route =>
  people ? of : { ...of, answer: () => noTeam }

function spaceRoutes({ people }: AppContext): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/team/spaces',
      scope: 'full',
      main: true,
      summary: 'All spaces.',
      reply: { type: JSON_TYPE, schema: spacesReply },
      answer: () =>
        withTeam(people, async ({ team }) => toReply(await team.spaces(), (spaces) => ({ spaces }))),
    }),
    route({
      method: 'POST',
      path: '/api/team/spaces',
      scope: 'full',
      main: true,
      action: 'spaces.create',
      summary: 'Create a space. The caller becomes its first admin.',
      body: newSpace,
      reply: { type: JSON_TYPE, schema: spaceShape },
      answer: ({ body: { name }, caller, setTarget }) =>
        withTeam(people, async ({ team, openSpace: madeSpace }) => {
          setTarget(name)
          const made = await team.createSpace(name)
          if (!made.ok) return toRefusal(made)
          const userId = caller?.identity?.user_id
          const first = userId ? await team.setRole(userId, name, 'admin') : undefined
          if (first && !first.ok) return toRefusal(first)
          madeSpace(name)
          return json(made.value)
        }),
    }),
  ]
}

function userRoutes({ people, space }: AppContext): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/team/users',
      scope: 'full',
      role: 'admin',
      summary: 'People of the space, with their roles.',
      reply: { type: JSON_TYPE, schema: usersReply },
      answer: () =>
        withTeam(people, async ({ team }) => toReply(await team.users(space), (users) => ({ users }))),
    }),
    route({
      method: 'POST',
      path: '/api/team/users',
      scope: 'full',
      role: 'admin',
      action: 'users.create',
      summary: 'Add a person to the space. They sign in with this email address.',
      body: newUser,
      reply: { type: JSON_TYPE, schema: teamUser },
      answer: ({ body, setTarget }) =>
        withTeam(people, async ({ team, recheckAccess: changed }) => {
          setTarget(`${body.email} ${body.role}`)
          const existing = await team.findUser({ email: body.email })
          if (!existing.ok) return toRefusal(existing)
          const user = existing.value
            ? { ok: true as const, value: existing.value }
            : await team.createUser(body)
          if (!user.ok) return toRefusal(user)
          const put = await team.setRole(user.value.id, space, body.role)
          changed()
          if (!put.ok) return toRefusal(put)
          const wasHere = existing.value?.roles[space] !== undefined
          const here = wasHere ? await team.user(put.value.id, space) : success(null)
          return toReply(here, (user) => user ?? describeAddedUser(put.value, body, space))
        }),
    }),
    route({
      method: 'PUT',
      path: '/api/team/users/:id',
      scope: 'full',
      role: 'admin',
      action: 'users.change',
      summary: 'Change a person’s role in the space, their name, or whether they may sign in.',
      params: idParams,
      body: userChange,
      reply: { type: JSON_TYPE, schema: teamUser },
      answer: ({ params: { id }, body, setTarget }) =>
        withTeam(people, async ({ team, recheckAccess: changed }) => {
          const done = await changeUser(team, space, id, body)
          if (done.ok) setTarget(`${done.value.email} ${formatChange(body)}`)
          changed()
          return toReply(done, (user) => user)
        }),
    }),
    route({
      method: 'DELETE',
      path: '/api/team/users/:id',
      scope: 'full',
      role: 'admin',
      action: 'users.remove',
      summary:
        'Remove a person from the space, and end their tokens and sign-ins there. Their data stays until they are added again.',
      params: idParams,
      reply: { type: JSON_TYPE, schema: z.object({ removed: z.literal(true) }) },
      answer: ({ params: { id }, setTarget }) =>
        withTeam(people, async ({ team, recheckAccess: changed }) => {
          const done = await removeFromSpace(team, space, id)
          if (done.ok) setTarget(done.value.email)
          changed()
          return toReply(done, () => ({ removed: true }))
        }),
    }),
  ]
}

function tokenRoutes({ people, space }: AppContext): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/team/tokens',
      scope: 'full',
      role: 'admin',
      summary:
        'Tokens of the space, including expired and revoked ones. The secret is shown only when a token is created.',
      reply: { type: JSON_TYPE, schema: teamTokensReply },
      answer: () =>
        withTeam(people, async ({ team }) => toReply(await team.tokens(space), (tokens) => ({ tokens }))),
    }),
    route({
      method: 'POST',
      path: '/api/team/tokens',
      scope: 'full',
      role: 'admin',
      action: 'tokens.create',
      summary:
        'Create a token for a machine or a person of the space, with that person’s role at most. A token for someone else can only send events. The response is the only time it is shown.',
      body: newToken,
      reply: { type: JSON_TYPE, schema: newTokenReply },
      answer: ({ body, caller, setTarget }) =>
        withTeam(people, async ({ team }) => {
          const { label, scope } = body
          setTarget(`${label} ${scope} ${body.role}`)
          const owner = await findTokenOwner(team, space, body)
          if (!owner.ok) return toRefusal(owner)
          const { role: as, userId, email } = owner.value
          setTarget([label, scope, as, email].filter((part) => part !== undefined).join(' '))
          if (isForAnotherPerson(body, caller)) return onlyOwnScopes
          const expiresAt = toExpiry(body.days)
          return toReply(
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
      summary:
        'Revoke a token. It stops working immediately on this hub, and within about a second on others.',
      params: idParams,
      reply: { type: JSON_TYPE, schema: teamToken },
      answer: ({ params: { id }, setTarget }) =>
        withTeam(people, async ({ team, recheckAccess: changed }) => {
          const revoked = await team.revokeToken(space, id)
          setTarget(revoked.ok ? revoked.value.label : id.slice(0, 100))
          changed()
          return toReply(revoked, (token) => token)
        }),
    }),
  ]
}

/**
 * The creator of a token sees it, so a token for somebody else with more than an ingest scope would let an admin
 * act as that person.
 */
const isForAnotherPerson = (
  { scope, user_id: whose }: z.infer<typeof newToken>,
  caller: Caller | undefined,
): boolean => whose !== null && whose !== caller?.identity?.user_id && !FOR_OTHERS.includes(scope)

const onlyOwnScopes: Refusal = {
  status: 403,
  code: 'not_yours',
  title: 'Not allowed for another person',
  detail:
    'This token would let you act as that person. For other people you can create only tokens with the scope ingest.',
  next: 'The person can create it on the page under Settings, or with POST /api/me/tokens. On the hub’s computer: panoptes team tokens create --user.',
}

const auditRoute = ({ people, space }: AppContext): Route =>
  route({
    method: 'GET',
    path: '/api/team/audit',
    scope: 'full',
    role: 'admin',
    summary: 'Actions and attempted actions of people and tokens in the space, newest first.',
    query: auditQuery,
    reply: { type: JSON_TYPE, schema: auditReply },
    answer: ({ query }) =>
      withTeam(people, async ({ team }) => toReply(await team.audit({ ...query, space }), (page) => page)),
  })

const formatChange = ({ role: as, disabled, name }: z.infer<typeof userChange>): string =>
  [
    as === null ? 'out' : role.safeParse(as).data,
    disabled === undefined ? undefined : disabled ? 'disabled' : 'enabled',
    name === undefined ? undefined : 'name',
  ]
    .filter((part) => part !== undefined)
    .join(' ')

export const toReply = <T>(result: Result<T>, shape: (value: T) => unknown): Reply =>
  result.ok ? json(shape(result.value)) : toRefusal(result)

/** Runs an action that needs the team's people, or refuses it on a server without a team. */
export const withTeam = async (
  people: People | undefined,
  ask: (people: People & { readonly team: Team }) => Promise<Reply>,
): Promise<Reply> => (people ? ask(people) : noTeam)

const noTeam: Refusal = {
  status: 404,
  code: 'not_found',
  title: 'No team',
  detail: 'This Panoptes has no team, so it has no users, spaces or team tokens.',
  next: 'A team needs a PostgreSQL database: panoptes up --store postgres://…',
}
