import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openDatabase } from './database.ts'
import { toFailure } from './failures.ts'

const message = (kind: string, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  const size = Buffer.alloc(4)
  size.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(kind), size, body])
}
const int = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

/** Starts a server that asks for a password like PostgreSQL and then waits indefinitely. */
async function asking() {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined))
    socket.once('data', () => {
      socket.write(message('R', int(10), Buffer.from('SCRAM-SHA-256\0\0')))
      socket.once('data', (first) => {
        const nonce = /r=([^,]+)/.exec(first.toString('latin1'))?.[1] ?? ''
        const salt = Buffer.from('salt').toString('base64')
        socket.write(message('R', int(11), Buffer.from(`r=${nonce}more,s=${salt},i=4096`)))
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `postgres://somebody@127.0.0.1:${port}/team`, sockets, close: () => server.close() }
}

afterEach(() => vi.unstubAllEnvs())

it('explains at once where to set the database password, and closes the connection', async () => {
  vi.stubEnv('PGPASSWORD', undefined)
  vi.stubEnv('PGPASSFILE', '/dev/null')
  const server = await asking()
  const database = openDatabase(server.url, 'x')
  const refused = await database.row('SELECT 1').catch((error: unknown) => toFailure(error, 'db/team'))
  expect(refused).toMatchObject({
    code: 'denied',
    message: expect.stringMatching(/db\/team requires a password\. Set it .*PGPASSWORD.*PGPASSFILE/),
  })
  expect(server.sockets).toHaveLength(1)
  await expect.poll(() => server.sockets.every((socket) => socket.closed)).toBe(true)
  await database.close()
  server.close()
})

it('reports an unknown host name of a database without promising that a retry helps', async () => {
  const database = openDatabase('postgres://somebody@panoptes.invalid/team', 'x')
  const refused = await database
    .row('SELECT 1')
    .catch((error: unknown) => toFailure(error, 'panoptes.invalid/team (space_main)'))
  expect(refused).toMatchObject({
    code: 'busy',
    message: expect.stringMatching(/panoptes\.invalid, cannot be resolved/),
  })
  expect(refused).not.toMatchObject({ message: expect.stringMatching(/retry|try again/i) })
  await database.close()
})

describe('failure of a statement', () => {
  const failureCode = (code: string) => toFailure(Object.assign(new Error('said'), { code }), 'db').code

  it.each([
    'ENETUNREACH',
    'EMFILE',
    'ECONNABORTED',
    'ERR_STREAM_PREMATURE_CLOSE',
    '0A000',
    '42P01',
    '42703',
    '53200',
    '55P03',
    '57014',
    '58030',
    'XX000',
    'XX001',
  ])('is reported as busy for %s, because a retry may help', (code) => {
    expect(failureCode(code)).toBe('busy')
  })

  it.each(['', '21000', '22021', '23514', '54000'])(
    'is reported as io for "%s", because the given values cause it',
    (code) => {
      expect(failureCode(code)).toBe('io')
    },
  )

  it.each(['28P01', '28000', '42501', '3D000'])('is reported as denied for %s', (code) => {
    expect(failureCode(code)).toBe('denied')
  })
})
