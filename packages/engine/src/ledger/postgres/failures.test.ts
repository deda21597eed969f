import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openDatabase } from './database.ts'
import { failureOf } from './failures.ts'

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

/** Speaks as PostgreSQL does to whoever has to give a password, and waits for it as long as they like. */
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

it('says at once where a password can be given, and lets go of the connection', async () => {
  vi.stubEnv('PGPASSWORD', undefined)
  vi.stubEnv('PGPASSFILE', '/dev/null')
  const server = await asking()
  const database = openDatabase(server.url, 'x')
  const refused = await database.row('SELECT 1').catch((error: unknown) => failureOf(error, 'db/team'))
  expect(refused).toMatchObject({
    code: 'denied',
    message: expect.stringMatching(/db\/team asks for a password.*PGPASSWORD.*PGPASSFILE/),
  })
  expect(server.sockets).toHaveLength(1)
  await expect.poll(() => server.sockets.every((socket) => socket.closed)).toBe(true)
  await database.close()
  server.close()
})

it('says that a name is not known, and does not promise that to try again helps', async () => {
  const database = openDatabase('postgres://somebody@panoptes.invalid/team', 'x')
  const refused = await database
    .row('SELECT 1')
    .catch((error: unknown) => failureOf(error, 'panoptes.invalid/team (space_main)'))
  expect(refused).toMatchObject({
    code: 'busy',
    message: expect.stringMatching(/panoptes\.invalid, is not known here/),
  })
  expect(refused).not.toMatchObject({ message: expect.stringContaining('tried again') })
  await database.close()
})

describe('what a failure is', () => {
  const codeOf = (code: string) => failureOf(Object.assign(new Error('said'), { code }), 'db').code

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
  ])('is nothing of what was given where %s is said: that can be tried again', (code) => {
    expect(codeOf(code)).toBe('busy')
  })

  it.each(['', '21000', '22021', '23514', '54000'])('is what was given where it is "%s"', (code) => {
    expect(codeOf(code)).toBe('io')
  })

  it.each(['28P01', '28000', '42501', '3D000'])('is who asks where it is %s', (code) => {
    expect(codeOf(code)).toBe('denied')
  })
})
