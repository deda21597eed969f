import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startLine } from '../../../../../../e2e/breakable-proxy.ts'
import { value } from '../../conformance/lab.ts'
import type { Team } from '../port.ts'
import { type OwnDatabase, ownDatabase } from './database.test-kit.ts'
import { openTeam } from './team.ts'

let database: OwnDatabase

beforeAll(async () => {
  database = await ownDatabase()
})
afterAll(() => database.drop())

const through = (port: string | number): string =>
  Object.assign(new URL(database.url), { hostname: '127.0.0.1', port: String(port) }).href

const readPort = (url: string): number => Number(new URL(url).port)

const calls = (team: Team): readonly Promise<{ ok: boolean; code?: string }>[] => [
  team.spaces(),
  team.createSpace('away'),
  team.removeSpace('away'),
  team.claimUploader({ space: 'main', uploader: 'x', tokenId: 'x', take: true }),
  team.releaseUploaders('main', 'x'),
  team.users(),
  team.user('x'),
  team.findUser({ email: 'a@b' }),
  team.createUser({ email: 'away@b' }),
  team.changeUser('x', { disabled: true }),
  team.linkUser('x', 'y'),
  team.unlinkUser('x'),
  team.setRole('x', 'main', 'admin'),
  team.removeUser('x'),
  team.tokens('main'),
  team.createToken({ label: 'x', space: 'main', scope: 'full', role: 'admin' }),
  team.revokeToken('main', 'x'),
  team.signIn('x', 'main', 1),
  team.signOut('ses_x'),
  team.moveSignIn('ses_x', 'main'),
  team.identify('pan_x'),
  team.secret(),
  team.note([
    {
      actor: null,
      user_id: null,
      token_id: null,
      space: null,
      action: 'x',
      target: null,
      outcome: 'done',
      address: null,
    },
  ]),
  team.audit({ limit: 1 }),
  team.retainAudit(0),
  team.ping(),
]

it('reports every team call as busy while the database is away, and recovers', async () => {
  const line = await startLine()
  line.lead(readPort(database.url))
  const team = value(await openTeam({ url: through(readPort(line.address)) }))
  const { token } = value(await team.createToken({ label: 'x', space: 'main', scope: 'full', role: 'admin' }))
  line.cut()
  const answers = await Promise.all(calls(team))
  expect(answers.map((each) => each.code)).toEqual(answers.map(() => 'busy'))
  line.mend()
  expect(value(await team.identify(token))).toHaveProperty('identity')
  expect(value(await team.spaces())).toHaveLength(1)
  await team.close()
  expect((await Promise.all(calls(team))).every(({ code }) => code === 'closed')).toBe(true)
  await line.close()
})

it('does not wait for a team database that stalls', async () => {
  const sockets = new Set<Socket>()
  let held = false
  const server = createServer((socket) => {
    const to = connect(readPort(database.url), '127.0.0.1')
    for (const one of [socket, to]) sockets.add(one.on('error', () => undefined))
    socket.on('data', (bytes) => held || to.write(bytes))
    to.pipe(socket)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const team = value(await openTeam({ url: through((server.address() as AddressInfo).port) }))
  value(await team.ping())
  held = true
  const began = performance.now()
  expect(await team.ping()).toMatchObject({ ok: false, code: 'busy' })
  expect(performance.now() - began).toBeLessThan(12_000)
  for (const socket of sockets) socket.destroy()
  server.close()
  await team.close()
})

it('fails to open a team when the server is unreachable or refuses the user, without revealing the password', async () => {
  const away = await openTeam({ url: 'postgres://a:hidden@127.0.0.1:1/x' })
  expect(away).toMatchObject({ ok: false, code: 'busy', message: expect.stringContaining('127.0.0.1:1/x') })
  const nowhere = Object.assign(new URL(database.url), { pathname: '/not_there', password: 'hidden' }).href
  const refused = await openTeam({ url: nowhere })
  expect(refused).toMatchObject({ ok: false, code: 'denied' })
  expect(JSON.stringify([away, refused])).not.toContain('hidden')
})
