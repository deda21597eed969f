import type { AuditEntry, MeReply, Role, TeamToken, TeamUser } from '@panoptes/schema'
import type { FakeRequest, FakeServer } from '../../testing/fake-server.ts'
import { me } from '../../testing/replies.ts'
import { answerSettings } from '../settings.test-kit.ts'

const DAY = 86_400_000

export const teamUser = (id: string, change: Partial<TeamUser> = {}): TeamUser => ({
  id,
  email: `${id}@example.org`,
  name: '',
  disabled: false,
  created_at: Date.now() - DAY,
  last_seen: null,
  roles: { main: 'member' },
  ...change,
})

export const teamToken = (id: string, change: Partial<TeamToken> = {}): TeamToken => ({
  id,
  hint: `pan_${id.padEnd(6, 'x')}…`,
  label: id,
  space: 'main',
  scope: 'ingest',
  role: 'member',
  user_id: null,
  created_at: Date.now() - DAY,
  expires_at: null,
  revoked_at: null,
  last_used: null,
  host: null,
  host_seen: null,
  ...change,
})

/** A signed-in person with this role in the space `main`. */
export const person = (id: string, role: Role, change: Partial<MeReply> = {}): MeReply =>
  me({
    team: true,
    user: { id, email: `${id}@example.org`, name: id },
    label: `${id}@example.org`,
    role,
    home: false,
    spaces: [{ name: 'main', role }],
    ...change,
  })

/** A hub with the admin ada, the member bob and the viewer eve in the space `main`. */
export class FakeTeam {
  users: readonly TeamUser[] = [
    teamUser('ada', { roles: { main: 'admin' }, last_seen: Date.now() }),
    teamUser('bob'),
    teamUser('eve', { roles: { main: 'viewer' } }),
  ]
  tokens: readonly TeamToken[] = []
  audit: readonly AuditEntry[] = []
  spaces = ['main']

  /** Serves all requests as this person. */
  constructor(server: FakeServer, as: MeReply) {
    answerSettings(server)
    const own = () => this.tokens.filter(({ user_id }) => user_id === as.user?.id)
    server
      .on('GET /api/me', as)
      .on('GET /ready', { ready: true, takes_events: true, away: [] })
      .on('GET /api/team/users', () => ({ users: this.users }))
      .on('POST /api/team/users', ({ body }) => this.#addUser(body as { email: string; role: Role }))
      .on('PUT /api/team/users/:id', (request) => this.#changeUser(request))
      .on('DELETE /api/team/users/:id', ({ path }) => {
        this.users = this.users.filter(({ id }) => id !== lastOf(path))
        return { removed: true }
      })
      .on('GET /api/team/spaces', () => ({ spaces: this.spaces.map((name) => ({ name, created_at: DAY })) }))
      .on('POST /api/team/spaces', ({ body }) => {
        const { name } = body as { readonly name: string }
        this.spaces = [...this.spaces, name]
        return { name, created_at: Date.now() }
      })
      .on('GET /api/team/tokens', () => ({ tokens: this.tokens }))
      .on('POST /api/team/tokens', ({ body }) => this.#makeToken(body as NewToken))
      .on('POST /api/team/tokens/:id/revoke', (request) => this.#revoke(request))
      .on('GET /api/me/tokens', () => ({ tokens: own() }))
      .on('POST /api/me/tokens', ({ body }) =>
        this.#makeToken({ ...(body as NewToken), user_id: as.user?.id ?? null }),
      )
      .on('POST /api/me/tokens/:id/revoke', (request) => this.#revoke(request))
      .on('GET /api/team/audit', ({ query }) => this.#audit(query))
  }

  #addUser({ role, ...about }: { readonly email: string; readonly role: Role }) {
    const added = teamUser(`u${this.users.length}`, { ...about, roles: { main: role } })
    this.users = [...this.users, added]
    return added
  }

  #changeUser({ path, body }: FakeRequest): Response | object {
    const { role, ...change } = body as { readonly role?: Role; readonly disabled?: boolean }
    const found = this.users.find(({ id }) => id === lastOf(path))
    const isAdmin = ({ roles, disabled }: TeamUser) => roles.main === 'admin' && !disabled
    const changed = found && { ...found, ...change, roles: role ? { main: role } : found.roles }
    const after = this.users.map((one) => (one === found && changed ? changed : one))
    if (!changed || !after.some(isAdmin))
      return Response.json(
        {
          code: 'invalid',
          detail: 'They are the last admin of the space "main". Make somebody else an admin first.',
          next: 'Correct it and send the request again.',
        },
        { status: 400 },
      )
    this.users = after
    return changed
  }

  #makeToken({ days, ...about }: NewToken) {
    const id = `t${this.tokens.length + 1}`
    const expires_at = days === null ? null : Date.now() + days * DAY
    const made = teamToken(id, { ...about, expires_at })
    this.tokens = [...this.tokens, made]
    return { token: `pan_${id.padEnd(43, 'x')}`, about: made }
  }

  #revoke({ path }: FakeRequest) {
    const id = path.split('/').at(-2)
    this.tokens = this.tokens.map((one) => (one.id === id ? { ...one, revoked_at: Date.now() } : one))
    return this.tokens.find((one) => one.id === id) ?? {}
  }

  /** Returns the newest entries first. The actor matches in any case, and an action matches by its prefix. */
  #audit(query: URLSearchParams) {
    const [actor, action] = [query.get('actor')?.toLowerCase(), query.get('action')]
    const before = Number(query.get('before') ?? Number.POSITIVE_INFINITY)
    const found = this.audit.filter(
      (one) =>
        one.id < before &&
        (actor === undefined || one.actor?.toLowerCase() === actor) &&
        (action === null || one.action === action || one.action.startsWith(`${action}.`)),
    )
    const entries = found.slice(0, Number(query.get('limit')))
    return { entries, next: entries.length < found.length ? (entries.at(-1)?.id ?? null) : null }
  }
}

type NewToken = Pick<TeamToken, 'label' | 'scope' | 'role' | 'user_id'> & { readonly days: number | null }

const lastOf = (path: string): string => path.split('/').at(-1) ?? ''
