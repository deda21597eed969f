import { type MeReply, meReply, spaceChoice } from '@panoptes/schema'
import type { Caller } from '../callers.ts'
import type { Kit } from '../kit.ts'
import { shownIn } from '../people/callers.ts'
import { type Refusal, refusalOf } from '../problem.ts'
import { JSON_TYPE, json, type Reply, type Route, route } from '../route.ts'
import { inTeam, unlessAlone } from './team.ts'

/** Who the page is talking for, and in which space. */
export const meRoutes = (kit: Kit): readonly Route[] => [
  route({
    method: 'GET',
    path: '/api/me',
    scope: 'full',
    summary: 'Who asks, as what, and in which space.',
    reply: { type: JSON_TYPE, schema: meReply },
    answer: ({ caller }) => meOf(kit, caller),
  }),
  unlessAlone(kit, moveRoute(kit)),
]

const moveRoute = (kit: Kit): Route =>
  route({
    method: 'POST',
    path: '/api/me/space',
    scope: 'full',
    role: 'viewer',
    action: 'me.space',
    summary: 'Take this browser to another space that its person is in.',
    body: spaceChoice,
    reply: { type: JSON_TYPE, schema: meReply },
    answer: ({ body, caller, incoming, about }) =>
      inTeam(kit.people, async ({ team, cookie, changed }) => {
        about(body.space)
        const shown = shownIn(incoming.headers, cookie)
        if (!caller?.identity?.user_id || shown?.via !== 'cookie' || caller.identity.token_id !== null)
          return oneSpace
        const moved = await team.moveSignIn(shown.secret, body.space)
        if (!moved.ok) return refusalOf(moved)
        changed()
        const found = await team.identify(shown.secret)
        if (!found.ok) return refusalOf(found)
        return 'identity' in found.value
          ? meOf(kit, { ...caller, ...found.value.identity, identity: found.value.identity })
          : oneSpace
      }),
  })

async function meOf({ people, space }: Kit, caller: Caller | undefined): Promise<Reply> {
  const role = caller?.role ?? 'admin'
  const here = caller?.space ?? space
  const own: MeReply = {
    team: people !== undefined,
    user: null,
    label: caller?.identity?.label ?? 'this computer',
    role,
    home: caller?.home ?? true,
    space: here,
    spaces: [{ name: here, role }],
  }
  const { user_id: id, token_id: token } = caller?.identity ?? {}
  if (!people || !id) return json(own)
  const found = await people.team.user(id)
  if (!found.ok) return refusalOf(found)
  if (!found.value) return json(own)
  const { email, name, roles } = found.value
  const user = { id, email, name }
  // A token is for one space, whoever has it.
  if (token) return json({ ...own, user })
  return json({
    ...own,
    user,
    spaces: Object.entries(roles).map(([name, as]) => ({ name, role: as })),
  })
}

const oneSpace: Refusal = {
  status: 400,
  code: 'invalid',
  title: 'Bad request',
  detail: 'Only a person who is signed in can go to another space: a token is for one.',
  next: 'Use a token of that space.',
}
