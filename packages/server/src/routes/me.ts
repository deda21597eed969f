import { type MeReply, meReply, spaceChoice } from '@panoptes/schema'
import type { AppContext } from '../app-context.ts'
import { auditActor } from '../auth/audit.ts'
import { readCredential } from '../auth/team-callers.ts'
import type { Caller } from '../authenticate.ts'
import { type Refusal, toRefusal } from '../problem.ts'
import { JSON_TYPE, json, type Reply, type Route, route } from '../route.ts'
import { requireTeam, withTeam } from './team.ts'

/** The person that the page acts for, and their space. */
export const meRoutes = (context: AppContext): readonly Route[] => [
  route({
    method: 'GET',
    path: '/api/me',
    scope: 'full',
    summary: 'The caller, with role and space.',
    reply: { type: JSON_TYPE, schema: meReply },
    answer: ({ caller }) => buildMeReply(context, caller),
  }),
  requireTeam(context, moveRoute(context)),
]

const moveRoute = (context: AppContext): Route =>
  route({
    method: 'POST',
    path: '/api/me/space',
    scope: 'full',
    role: 'viewer',
    action: null,
    summary: 'Switch this browser to another space of its person.',
    body: spaceChoice,
    reply: { type: JSON_TYPE, schema: meReply },
    answer: ({ body, caller, incoming, requestHead }) =>
      withTeam(context.people, async ({ team, cookie, recheckAccess: changed, audit }) => {
        const shown = readCredential(incoming.headers, cookie)
        if (!caller?.identity?.user_id || shown?.via !== 'cookie' || caller.identity.token_id !== null)
          return oneSpace
        const moved = await team.moveSignIn(shown.secret, body.space)
        const note = { ...auditActor(caller, requestHead), action: 'me.space', target: null }
        if (!moved.ok) {
          audit.note({ ...note, outcome: 'failed' })
          return toRefusal(moved)
        }
        changed()
        // Only the new space's audit log records the switch: the old space does not learn about other spaces.
        audit.note({ ...note, space: body.space, outcome: 'done' })
        const found = await team.identify(shown.secret)
        if (!found.ok) return toRefusal(found)
        return 'identity' in found.value
          ? buildMeReply(context, { ...caller, ...found.value.identity, identity: found.value.identity })
          : oneSpace
      }),
  })

async function buildMeReply({ people, space }: AppContext, caller: Caller | undefined): Promise<Reply> {
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
  if (!found.ok) return toRefusal(found)
  if (!found.value) return json(own)
  const { email, name, roles } = found.value
  const user = { id, email, name }
  // A token is valid in one space, so the other spaces of its owner are not listed.
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
  detail: 'Only a signed-in person can switch spaces. A token works in one space.',
  next: 'Use a token of the other space.',
}
